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
 * Reads a stream of one server, and opens it again when it breaks, until it is cancelled. It has no
 * thread of its own: its events run one after the other on {@link HandlerExecutor}.
 *
 * <p>The server sends an empty line every 15 seconds where it has nothing else; a connection that
 * is silent for longer than three times that is closed. The time in which the handler runs, and the
 * connection is not read, does not count.
 */
final class StreamReader implements TimeoutChecker.TimedTask {
  private static final int STEPS_AT_ONCE = 16; // before other readers run

  private final RemoteSubscriber subscriber;
  private final Transport transport;
  private final Server server;
  private final int credit;
  private final Consumer<RemoteDelivery> handler;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final RetryBackoff backoff = new RetryBackoff(); // confined to the steps

  @GuardedBy("steps")
  private final Deque<Runnable> steps = new ArrayDeque<>();

  @GuardedBy("steps")
  private boolean scheduled;

  private volatile boolean stopped; // set once, no later than cancelled
  private volatile boolean cancelled; // set once
  private volatile @Nullable CompletableFuture<?> current; // any thread may cancel it
  private volatile @Nullable Thread thread; // that runs a step
  private volatile long deadline; // written by the steps, read by the timeout checker
  private volatile boolean reading; // whether the deadline applies

  StreamReader(
      RemoteSubscriber subscriber, Server server, int credit, Consumer<RemoteDelivery> handler) {
    this.subscriber = subscriber;
    this.transport = subscriber.caller().transport();
    this.server = server;
    this.credit = credit;
    this.handler = handler;
  }

  /**
   * Starts reading.
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
   * Stops deliveries to the handler. Called by any thread.
   *
   * @return completes after the handler has returned for the last time
   */
  CompletableFuture<Void> stop() {
    stopped = true;
    CompletableFuture<Void> idle = new CompletableFuture<>();
    step(() -> idle.complete(null));
    return idle;
  }

  /** Ends the reader. Called by any thread. */
  void cancel() {
    stopped = true;
    cancelled = true;
    disconnect();
    step(() -> ended.complete(null));
  }

  @Override
  public boolean isTimedOut(long now) {
    return reading && now - deadline >= 0;
  }

  @Override
  public void end() {
    CompletableFuture<?> read = current; // before the look: it may be the pause afterwards
    if (transport.isClosed() || isTimedOut(Ticker.nanos())) {
      cancel(read);
    }
  }

  private void disconnect() {
    cancel(current);
  }

  private static void cancel(@Nullable CompletableFuture<?> underWay) {
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
    // a cancelled reader has few steps left, and a client that is closed gives it no further turn
    for (int i = 0; i < STEPS_AT_ONCE || cancelled; i++) {
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
    cancelled = true;
    disconnect();
    ended.completeExceptionally(failure);
  }

  private void open() {
    if (cancelled) {
      return;
    }
    Request request =
        Request.post(
                subscriber.path()
                    + "/stream?create=true&credit="
                    + credit
                    + subscriber.ownerInQuery())
            .header("Accept", "application/x-ndjson");
    BodyHandler<byte[]> bodyHandler =
        info -> {
          if (info.statusCode() != 200) {
            return BodySubscribers.ofByteArray();
          }
          server.markReachable();
          setDeadline(transport.settings().silence()); // the first line may come as late as others
          return new LineSubscriber((lines, source) -> step(() -> received(lines, source)));
        };
    setDeadline(transport.settings().attemptTimeout(Duration.ZERO));
    CompletableFuture<HttpResponse<byte[]>> sent;
    try {
      sent = transport.attempt(server, request, bodyHandler);
    } catch (ClientClosedException e) {
      ended.complete(null);
      return;
    }
    current = sent;
    transport.timeouts().add(this);
    if (cancelled) {
      sent.cancel(true);
    }
    var unused = sent.whenComplete((response, failure) -> step(() -> disconnected(response)));
  }

  private void setDeadline(Duration limit) {
    deadline = Ticker.nanos() + limit.toNanos();
    reading = true;
  }

  private void received(List<byte[]> lines, Flow.Subscription source) {
    reading = false;
    try {
      for (byte[] line : lines) {
        backoff.reset();
        if (!stopped && !isBlank(line)) {
          handle(
              new RemoteDelivery(
                  subscriber, server, JsonCodec.read(line, JsonCodec.MessageJson.class)));
        }
      }
    } catch (IllegalArgumentException e) {
      source.cancel(); // not a line of River's, so that nothing after it can be trusted
      disconnect();
      return;
    }
    setDeadline(transport.settings().silence());
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
      var unused = subscriber.settleAsync(List.of(delivery), Acknowledgement.fail(reason(e)));
    } finally {
      boolean unused = Thread.interrupted(); // the thread is shared
    }
  }

  private static String reason(RuntimeException e) {
    String text = e.toString();
    return text.isEmpty()
        ? e.getClass().getName()
        : text.substring(0, Math.min(1_024, text.length()));
  }

  /** Opens the stream again after a pause, when the connection has ended or could not be opened. */
  private void disconnected(@Nullable HttpResponse<byte[]> response) {
    transport.timeouts().remove(this);
    reading = false;
    if (cancelled) {
      return;
    }
    long nanos = backoff.nextNanos();
    if (response != null && response.statusCode() != 200) {
      RiverClientException error = ErrorResponses.toException(response, server.toString());
      if (!isTransient(error)) {
        throw error;
      }
      nanos = Math.max(nanos, Ticker.nanos(error.retryAfter()));
    }
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    if (cancelled) {
      timer.cancel(false);
    }
    var unused = timer.thenRun(() -> step(this::open));
  }

  private static boolean isTransient(RiverClientException failure) {
    return failure instanceof TooManyRequestsException
        || failure instanceof QueueFullException
        || failure instanceof UnavailableException
        || failure instanceof QueueStatusException
        || failure instanceof QueueFailedException
        || failure instanceof ServerFailedException;
  }
}
