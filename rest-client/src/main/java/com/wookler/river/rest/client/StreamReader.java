package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream of one server, and opens it again when it breaks, until it is finished. It has no
 * thread of its own: what happens to it is done step by step, on {@link HandlerThreads}.
 *
 * <p>The server sends an empty line every 15 seconds where it has nothing else; a connection that
 * is silent for longer than three times that is dead, and is given up. While the handler works the
 * connection is not read, and that does not count.
 */
final class StreamReader implements TimeLimits.Limited {
  private static final int STEPS_AT_ONCE = 16; // then others come first

  private final RemoteSubscriber subscriber;
  private final Transport transport;
  private final Server server;
  private final int credit;
  private final Consumer<RemoteDelivery> handler;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Pause pause = new Pause(); // confined to the steps

  @GuardedBy("steps")
  private final Deque<Runnable> steps = new ArrayDeque<>();

  @GuardedBy("steps")
  private boolean scheduled;

  private volatile boolean stopped; // set once, no later than the next
  private volatile boolean finished; // set once
  private volatile @Nullable CompletableFuture<?> current; // any thread may end it
  private volatile @Nullable Thread thread; // of the step
  private volatile long deadline; // written by the steps, read where time limits are looked at
  private volatile boolean reading; // whether the deadline counts

  StreamReader(
      RemoteSubscriber subscriber, Server server, int credit, Consumer<RemoteDelivery> handler) {
    this.subscriber = subscriber;
    this.transport = subscriber.caller().transport();
    this.server = server;
    this.credit = credit;
    this.handler = handler;
  }

  /**
   * Begins to read.
   *
   * @return completes after the handler has returned for the last time
   */
  CompletableFuture<Void> start() {
    step(this::open);
    return ended;
  }

  boolean isCurrentThread() {
    return Thread.currentThread().equals(thread);
  }

  /**
   * Has the handler get no more; any thread.
   *
   * @return completes after the handler has returned for the last time
   */
  CompletableFuture<Void> stop() {
    stopped = true;
    CompletableFuture<Void> idle = new CompletableFuture<>();
    step(() -> idle.complete(null));
    return idle;
  }

  /** Ends it; any thread. */
  void finish() {
    stopped = true;
    finished = true;
    cut();
    step(() -> ended.complete(null));
  }

  @Override
  public boolean isLate(long now) {
    return reading && now - deadline >= 0;
  }

  @Override
  public void end() {
    if (transport.isClosed() || isLate(Ticker.nanos())) {
      cut();
    }
  }

  private void cut() {
    CompletableFuture<?> underWay = current;
    if (underWay != null) {
      underWay.cancel(true);
    }
  }

  private void step(Runnable step) {
    synchronized (steps) {
      steps.add(step);
      if (scheduled) {
        return;
      }
      scheduled = true;
    }
    transport.handlers().execute(this::work);
  }

  private void work() {
    for (int i = 0; i < STEPS_AT_ONCE; i++) {
      Runnable step;
      synchronized (steps) {
        step = steps.poll();
        scheduled = step != null;
      }
      if (step == null) {
        return;
      }
      thread = Thread.currentThread();
      try {
        step.run();
      } catch (Throwable e) {
        fail(e);
      }
      thread = null;
    }
    transport.handlers().execute(this::work);
  }

  private void fail(Throwable failure) {
    finished = true;
    cut();
    ended.completeExceptionally(failure);
  }

  private void open() {
    if (finished) {
      return;
    }
    Ask ask =
        Ask.post(subscriber.path() + "/stream?create=true&credit=" + credit)
            .header("Accept", "application/x-ndjson");
    BodyHandler<byte[]> lines =
        info -> {
          if (info.statusCode() != 200) {
            return BodySubscribers.ofByteArray();
          }
          server.answered();
          return new StreamLines((some, source) -> step(() -> took(some, source)));
        };
    awaitUntil(transport.settings().patience(Duration.ZERO));
    CompletableFuture<HttpResponse<byte[]>> sent;
    try {
      sent = transport.attempt(server, ask, lines);
    } catch (ClientClosedException e) {
      ended.complete(null);
      return;
    }
    current = sent;
    transport.limits().add(this);
    if (finished) {
      sent.cancel(true);
    }
    var unused = sent.whenComplete((response, failure) -> step(() -> broken(response)));
  }

  private void awaitUntil(Duration limit) {
    deadline = Ticker.nanos() + limit.toNanos();
    reading = true;
  }

  private void took(List<byte[]> lines, Flow.Subscription source) {
    reading = false;
    try {
      for (byte[] line : lines) {
        pause.reset();
        if (!stopped && !isBlank(line)) {
          handle(new RemoteDelivery(subscriber, server, Wire.read(line, Wire.MessageJson.class)));
        }
      }
    } catch (IllegalArgumentException e) {
      source.cancel(); // no line of ours, so that nothing after it can be trusted
      cut();
      return;
    }
    awaitUntil(transport.settings().silence());
    source.request(1);
  }

  private static boolean isBlank(byte[] line) {
    for (byte each : line) {
      if (each > ' ' || each < 0) {
        return false;
      }
    }
    return true;
  }

  private void handle(RemoteDelivery delivery) {
    try {
      handler.accept(delivery);
    } catch (RuntimeException e) {
      var unused = subscriber.settleAsync(List.of(delivery), Settlement.nack());
    } finally {
      boolean unused = Thread.interrupted(); // others use this thread
    }
  }

  /** The connection has ended, or was never there. */
  private void broken(@Nullable HttpResponse<byte[]> response) {
    transport.limits().remove(this);
    reading = false;
    if (finished) {
      return;
    }
    long nanos = pause.nextNanos();
    if (response != null && response.statusCode() != 200) {
      RiverClientException refusal = Problems.of(response, server.toString());
      if (!isPassing(refusal)) {
        throw refusal;
      }
      nanos = Math.max(nanos, Ticker.nanos(refusal.retryAfter()));
    }
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    if (finished) {
      timer.cancel(false);
    }
    var unused = timer.thenRun(() -> step(this::open));
  }

  private static boolean isPassing(RiverClientException failure) {
    return failure instanceof TooManyRequestsException
        || failure instanceof QueueFullException
        || failure instanceof UnavailableException
        || failure instanceof QueueFailedException
        || failure instanceof ServerFailedException;
  }
}
