package com.wookler.river.reactor.processors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.NestedProcessors;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects messages into batches larger than a poll gives, and hands each to another processor: by
 * number, by size, or by the time that the oldest has waited, whatever comes first. The last of a
 * chain: what the other one passes on is completed.
 *
 * <p>A message is acknowledged with its batch, after the other processor; until then it is in
 * flight, so the longest wait must be shorter than the acknowledgement timeout. Batches are passed
 * over one after the other; threads that bring more wait meanwhile, so no more is held than one
 * batch and what each thread has. What is collected when the reactor is closed is given back as if
 * it had not been delivered.
 *
 * <p>The other processor runs on the reactor's threads, and when the time is over on one that is
 * started for that. In XML: {@code batch.messages}, {@code batch.bytes}, {@code batch.wait}, and a
 * {@code <processor>} within. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class BatchingProcessor<M>
    implements BatchProcessor<M>, ReactorAware<M>, Configurable, AutoCloseable {
  private static final String MESSAGES = "batch.messages";
  private static final String BYTES = "batch.bytes";
  private static final String WAIT = "batch.wait";
  private static final long RETRY_MILLIS = 100;

  private final ReentrantLock turn = new ReentrantLock(); // also while a batch is passed on
  private @Nullable Settings<M> settings; // set before the first message, like what follows
  private @Nullable ReactorContext<M> reactor;

  @GuardedBy("turn")
  private List<Delivery<M>> collected = new ArrayList<>();

  @GuardedBy("turn")
  private long bytes;

  /** Of the present batch; if it completes early, the batch is released. True: its time is over. */
  @GuardedBy("turn")
  private @Nullable CompletableFuture<Boolean> timer;

  @GuardedBy("turn")
  private boolean closed;

  /** How much makes a batch. */
  private record Settings<M>(
      BatchProcessor<M> target,
      int maxMessages,
      long maxBytes,
      Duration maxWait,
      ToLongFunction<? super Delivery<M>> size) {}

  /** For XML. */
  public BatchingProcessor() {}

  /**
   * Collects by number and time.
   *
   * @param maxMessages 1 or more, at most what the subscriber lets be in flight
   */
  public BatchingProcessor(BatchProcessor<M> target, int maxMessages, Duration maxWait) {
    this(target, maxMessages, maxWait, Long.MAX_VALUE, delivery -> 0);
  }

  /**
   * Collects by number, time and size.
   *
   * @param maxBytes with which a batch is passed on; the message that reaches it is the last
   * @param size of a message; quick
   * @throws ConfigurationException a bound is out of its range
   */
  public BatchingProcessor(
      BatchProcessor<M> target,
      int maxMessages,
      Duration maxWait,
      long maxBytes,
      ToLongFunction<? super Delivery<M>> size) {
    this.settings =
        checked(
            new Settings<>(
                Objects.requireNonNull(target, "target"),
                maxMessages,
                maxBytes,
                maxWait,
                Objects.requireNonNull(size, "size")));
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(List.of(MESSAGES, BYTES, WAIT));
    settings =
        checked(
            new Settings<>(
                NestedProcessors.<M>readSingle(node),
                node.integer(MESSAGES, 1_000),
                node.bytes(BYTES, Long.MAX_VALUE),
                node.duration(WAIT, Duration.ofSeconds(1)),
                delivery -> MessageBytes.of(Objects.requireNonNull(delivery.data())).length));
  }

  private static <M> Settings<M> checked(Settings<M> settings) {
    check(settings.maxMessages >= 1, MESSAGES + " is " + settings.maxMessages);
    check(settings.maxBytes >= 1, BYTES + " is " + settings.maxBytes);
    check(settings.maxWait.toMillis() >= 1, WAIT + " is " + settings.maxWait);
    return settings;
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("a batching processor cannot work: " + what);
    }
  }

  private Settings<M> settings() {
    if (settings == null) {
      throw new ConfigurationException("a batching processor needs a processor within");
    }
    return settings;
  }

  @Override
  public void startIn(ReactorContext<M> context) {
    SubscriberConfig subscriber = context.subscriber().config();
    check(
        subscriber.ackRequired(), "subscriber " + subscriber.name() + " needs no acknowledgement");
    check(
        settings().maxWait.compareTo(subscriber.ackTimeout()) < 0,
        WAIT
            + " is "
            + settings().maxWait
            + ", but messages are delivered again after "
            + subscriber.ackTimeout());
    check(
        settings().maxMessages <= subscriber.maxInFlight(),
        MESSAGES
            + " is "
            + settings().maxMessages
            + ", but only "
            + subscriber.maxInFlight()
            + " may be in flight");
    reactor = context;
    NestedProcessors.start(settings().target(), context);
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) throws InterruptedException {
    turn.lockInterruptibly();
    try {
      if (closed) { // by a processor before this one
        return Collections.nCopies(batch.size(), ProcessResult.release());
      }
      for (Delivery<M> delivery : batch) {
        collect(delivery);
      }
    } finally {
      turn.unlock();
    }
    return Collections.nCopies(batch.size(), ProcessResult.later());
  }

  @GuardedBy("turn")
  private void collect(Delivery<M> delivery) {
    long size;
    try {
      size = settings().size().applyAsLong(delivery);
    } catch (Throwable e) { // the converter's, perhaps: concerns this message only
      reactor().decide(List.of(delivery), List.of(ProcessResult.failed(e)));
      return;
    }
    if (collected.isEmpty()) {
      startTimer();
    }
    collected.add(delivery);
    bytes += size;
    if (collected.size() >= settings().maxMessages() || bytes >= settings().maxBytes()) {
      processBatch();
    }
  }

  private ReactorContext<M> reactor() {
    if (reactor == null) {
      throw new IllegalStateException("a batching processor works in a reactor only");
    }
    return reactor;
  }

  @GuardedBy("turn")
  private void startTimer() {
    String name = "REACTOR-" + reactor().subscriber().name() + "-batch";
    CompletableFuture<Boolean> started = new CompletableFuture<>();
    timer = started;
    CompletableFuture<?> unused =
        started
            .completeOnTimeout(true, settings().maxWait().toNanos(), TimeUnit.NANOSECONDS)
            .thenAccept(
                isOver -> {
                  if (isOver) {
                    startThread(name, started);
                  }
                });
  }

  /** Starts the thread that passes the batch on; where none can be, it is tried again. */
  private void startThread(String name, CompletableFuture<Boolean> whose) {
    try {
      new MonitoredThread(name, () -> timeIsOver(whose)).start();
    } catch (OutOfMemoryError e) { // of which the system's limit of threads is one
      CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
          .execute(() -> startThread(name, whose));
    }
  }

  @GuardedBy("turn")
  private void stopTimer() {
    if (timer != null) {
      timer.complete(false);
      timer = null;
    }
  }

  @SuppressWarnings("GuardedBy") // processBatch runs at once, on this thread
  private void timeIsOver(CompletableFuture<Boolean> whose) {
    turn.lock();
    try {
      if (timer == whose && !reactor().run(collected, this::processBatch)) {
        stopTimer(); // the reactor's end gives them back
      }
    } finally {
      turn.unlock();
    }
  }

  @GuardedBy("turn")
  private void processBatch() {
    List<Delivery<M>> batch = collected;
    collected = new ArrayList<>();
    bytes = 0;
    stopTimer();
    if (!batch.isEmpty()) {
      reactor().decide(batch, results(batch));
    }
  }

  private List<ProcessResult<M>> results(List<Delivery<M>> batch) {
    try {
      List<ProcessResult<M>> results =
          List.copyOf(settings().target().process(Collections.unmodifiableList(batch)));
      if (results.size() == batch.size()) {
        return results;
      }
      throw new IllegalStateException(
          results.size() + " results for a batch of " + batch.size() + " messages");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Collections.nCopies(batch.size(), ProcessResult.retry(Duration.ZERO));
    } catch (Throwable e) { // an Error too: it must not keep the messages
      return Collections.nCopies(batch.size(), ProcessResult.failed(e));
    }
  }

  /** Gives back what is collected, and closes the other processor. */
  @Override
  public void close() {
    turn.lock();
    try {
      closed = true;
      stopTimer();
      List<Delivery<M>> left = collected;
      collected = new ArrayList<>();
      if (!left.isEmpty()) {
        reactor().decide(left, Collections.nCopies(left.size(), ProcessResult.release()));
      }
    } finally {
      turn.unlock();
    }
    if (settings != null) {
      NestedProcessors.close(settings.target());
    }
  }
}
