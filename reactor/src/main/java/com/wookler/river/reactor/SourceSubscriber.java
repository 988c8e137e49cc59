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
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A source in the form in which a reactor takes messages: batches, and acknowledgements of their
 * deliveries. What concerns a position or dead letters is the source's own, and refused here.
 * Thread-safe.
 *
 * @param <M> type of the data
 */
final class SourceSubscriber<M> implements Subscriber<M> {
  private static final Logger LOG = LoggerFactory.getLogger(SourceSubscriber.class);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  /** How long an interrupted thread is waited for. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** What it takes to be asked for a batch that is ready. */
  private static final Duration ANSWER = Duration.ofMillis(100);

  private final DeliverySource<M> source;
  private final SubscriberConfig config;
  private final BlockingQueue<SourceRequest<M>> requests = new LinkedBlockingQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<MonitoredThread> threads = new ArrayList<>(); // set before it is used
  private final List<SourcePump<M>> pumps = new ArrayList<>(); // of them; set before it is used
  private volatile Duration patience = Duration.ZERO; // set before there are threads
  private volatile boolean paused;
  private volatile long closedNanos; // set before it is closed

  /** Creates it without threads. */
  SourceSubscriber(DeliverySource<M> source) {
    this.source = Objects.requireNonNull(source, "source");
    boolean keys = source.capabilities().contains(DeliverySource.Capability.KEY_ORDER);
    this.config =
        SubscriberConfig.builder(source.name())
            .ack(true)
            .order(keys ? Order.KEY : Order.SEQUENCE)
            .backoff(source.backoff())
            .build();
  }

  /** Returns another one of the same source, without threads. */
  SourceSubscriber<M> another() {
    return new SourceSubscriber<>(source);
  }

  /** Returns why the source cannot keep an order, and what can; null if it keeps it. */
  @Nullable String refusal(Order order) {
    return order != Order.STRICT // none says of itself that it waits for what failed
            && source.capabilities().contains(DeliverySource.Capability.of(order))
        ? null
        : "its source does not (orderBy); use " + source.alternative();
  }

  /**
   * Starts a thread with a consumer for each worker.
   *
   * @param time how long answers are waited for that come after the chain
   */
  void start(int workers, int batchSize, Duration time) {
    patience = time;
    for (int i = 1; i <= Math.max(1, workers); i++) {
      SourcePump<M> pump = new SourcePump<>(this, source, batchSize);
      pumps.add(pump);
      threads.add(new MonitoredThread("REACTOR-" + name() + "-source-" + i, pump));
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

  /** Returns how long answers are waited for that come after the chain. */
  Duration patience() {
    return patience;
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

  /** Returns what its data is called in meters. */
  String queue() {
    return source.queue();
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
    CompletableFuture<List<Delivery<M>>> request = batchAsync(max, timeout, Runnable::run);
    Duration wait = timeout.compareTo(ANSWER) < 0 ? ANSWER : timeout;
    try {
      return request.get(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
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
    return batchAsync(max, timeout, ForkJoinPool.commonPool());
  }

  @Override
  public CompletableFuture<List<Delivery<M>>> batchAsync(
      int max, Duration timeout, Executor completer) {
    SourceRequest<M> request = new SourceRequest<>(requests, completer);
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

  /**
   * Returns what its consumers have taken since the reactor was started, and what became of it: the
   * deliveries, acknowledgements, redeliveries and dead letters, what is in flight, and the lag of
   * what these consumers read, if the engine tells. The rest is known to the engine only, and zero.
   */
  @Override
  public SubscriberStats stats() {
    return SourceStats.sum(pumps.stream().map(SourcePump::stats).toList()).ofSubscriber(paused);
  }

  /** Ends the threads: what is answered is settled, the rest given back. Idempotent. */
  @Override
  public void close() {
    boolean unused = close(CLOSE);
  }

  /** Closes it without waiting, as a processor must: a thread waits for its message's answer. */
  void beginClose() {
    if (!isClosed()) {
      closedNanos = TimeSource.system().nanoTime();
      closed.countDown();
    }
    requests.forEach(this::end);
  }

  /**
   * Closes it.
   *
   * @param time for how long all threads together are waited for; then they are interrupted
   * @return whether they have ended in time
   */
  boolean close(Duration time) {
    beginClose();
    if (join(time)) {
      return true;
    }
    threads.forEach(MonitoredThread::interrupt); // an engine that is away lets calls hang
    if (!join(GRACE)) {
      LOG.warn(
          "Source {} does not close in time; its threads end once its engine answers, or not",
          name());
    }
    return false;
  }

  /** Returns whether all threads have ended before one deadline. */
  private boolean join(Duration time) {
    long until = TimeSource.system().nanoTime() + SourceDelivery.bounded(time).toNanos();
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
