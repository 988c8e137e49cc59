package com.wookler.river.reactor;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A source in the form in which a reactor takes messages: batches, and acknowledgements of their
 * deliveries. What concerns a position or dead letters is the source's own, and refused here.
 * Thread-safe.
 *
 * @param <M> type of the data
 */
final class SourceSubscriber<M> implements Subscriber<M> {
  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final DeliverySource<M> source;
  private final SubscriberConfig config;
  private final Duration patience;
  private final BlockingQueue<SourceRequest<M>> requests = new LinkedBlockingQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<MonitoredThread> threads = new ArrayList<>(); // set before it is used
  private volatile boolean paused;
  private volatile long closedNanos; // set before it is closed

  SourceSubscriber(DeliverySource<M> source) {
    this(source, CLOSE);
  }

  /**
   * Creates it without threads.
   *
   * @param patience for how long all threads together are waited for at the end, before and after
   *     they are interrupted
   */
  SourceSubscriber(DeliverySource<M> source, Duration patience) {
    this.source = Objects.requireNonNull(source, "source");
    this.patience = patience;
    boolean keys = source.capabilities().contains(DeliverySource.Capability.KEY_ORDER);
    this.config =
        SubscriberConfig.builder(source.name())
            .ack(true)
            .order(keys ? Order.KEY : Order.SEQUENCE)
            .backoff(source.backoff())
            .build();
  }

  /** Returns why the source cannot keep an order, and what can; null if it keeps it. */
  @Nullable String refusal(Order order) {
    return source.capabilities().contains(DeliverySource.Capability.of(order))
        ? null
        : "its source does not (orderBy); use " + source.alternative();
  }

  /** Starts a thread with a consumer for each worker. */
  void start(int workers, int batchSize) {
    for (int i = 1; i <= Math.max(1, workers); i++) {
      threads.add(
          new MonitoredThread(
              "REACTOR-" + name() + "-source-" + i, new SourcePump<>(this, source, batchSize)));
    }
    threads.forEach(MonitoredThread::start);
  }

  boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Returns whether it was closed as long ago. */
  boolean isClosedFor(Duration time) {
    return isClosed() && TimeSource.system().nanoTime() - closedNanos >= time.toNanos();
  }

  boolean isPaused() {
    return paused;
  }

  /** Waits for a time, or until it is closed. */
  void awaitClosed(Duration time) {
    try {
      boolean unused = closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the next request, or null if none came in time. */
  @Nullable SourceRequest<M> awaitRequest(Duration time) throws InterruptedException {
    return requests.poll(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Fails a request that no thread completes any more. */
  void end(SourceRequest<M> request) {
    request.completeExceptionally(
        new QueueClosedException("the reactor of " + name() + " is closed"));
  }

  @Override
  public String name() {
    return source.name();
  }

  @Override
  public SubscriberConfig config() {
    return config;
  }

  @Override
  public String origin() {
    return source.origin();
  }

  @Override
  public @Nullable Delivery<M> next() {
    throw refused("single messages");
  }

  @Override
  public @Nullable Delivery<M> next(Duration timeout) {
    throw refused("single messages");
  }

  @Override
  public List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
    CompletableFuture<List<Delivery<M>>> request = batchAsync(max, timeout);
    try {
      return request.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return request.cancel(false) ? List.of() : request.join();
    } catch (InterruptedException e) {
      if (request.cancel(false)) {
        throw e;
      }
      Thread.currentThread().interrupt();
      return request.join(); // they were taken
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new RiverException("", e);
    }
  }

  @Override
  public CompletableFuture<List<Delivery<M>>> batchAsync(int max, Duration timeout) {
    SourceRequest<M> request = new SourceRequest<>();
    requests.add(request);
    if (isClosed()) {
      end(request);
    }
    return request;
  }

  @Override
  public void ack(Delivery<M> delivery) {
    delivery.ack();
  }

  @Override
  public void ack(Collection<Delivery<M>> deliveries) {
    StaleReceiptException stale = null;
    for (Delivery<M> delivery : deliveries) {
      try {
        delivery.ack();
      } catch (StaleReceiptException e) {
        stale = e;
      }
    }
    if (stale != null) {
      throw stale;
    }
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
  }

  @Override
  public SubscriberStats stats() {
    return new SubscriberStats(0, 0, 0, Duration.ZERO, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, paused);
  }

  /** Ends the threads: what is answered is settled, the rest given back. Idempotent. */
  @Override
  public void close() {
    close(true);
  }

  /**
   * Closes it.
   *
   * @param waits whether the caller waits for the threads; a processor does not, since one of them
   *     waits for what becomes of its message
   */
  void close(boolean waits) {
    if (!isClosed()) {
      closedNanos = TimeSource.system().nanoTime();
      closed.countDown();
    }
    requests.forEach(this::end);
    if (waits && !join()) {
      threads.forEach(MonitoredThread::interrupt); // an engine that is away lets calls hang
      boolean unused = join();
    }
  }

  /** Returns whether all threads have ended before one deadline. */
  private boolean join() {
    long until = TimeSource.system().nanoTime() + patience.toNanos();
    boolean interrupted = false;
    boolean ended = true;
    for (MonitoredThread thread : threads) {
      long left = until - TimeSource.system().nanoTime();
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      } catch (InterruptedException e) {
        interrupted = true; // it is to end soon, so the others get their interrupts now
        until = TimeSource.system().nanoTime();
      }
      ended &= !thread.isAlive();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  private UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(
        "the source " + name() + " has no " + what + "; use " + source.alternative());
  }

  @Override
  public List<Delivery<M>> peek(int max) {
    throw refused("peek");
  }

  @Override
  public List<Settled> settle(Collection<String> receipts, Settlement action) {
    throw refused("receipts");
  }

  @Override
  public void ackUpTo(Delivery<M> delivery) {
    throw refused("ackUpTo");
  }

  @Override
  public void seek(Position position) {
    throw refused("seek");
  }

  @Override
  public long purge() {
    throw refused("purge");
  }

  @Override
  public DeadLetters<M> deadLetters() {
    throw refused("dead letters here");
  }
}
