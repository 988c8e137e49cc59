package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Outcome;
import com.wookler.river.core.log.Arrivals;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.message.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber: reads the log in order, keeps its ledger of what was handed over and finished,
 * and lets consumers wait.
 *
 * <p>One lock guards the reader, the ledger and the redelivery reader; it is held for a poll or a
 * verdict, never while a consumer waits and never across the converter. Created by the queue only.
 *
 * @param <M> type of the data
 */
public final class DurableSubscriber<M> implements Subscriber<M> {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int SAMPLE_MASK = 63;
  private static final long MAX_EXTENSION_MILLIS = TimeUnit.HOURS.toMillis(12);

  private final SubscriberContext<M> context;
  private final SubscriberConfig config;
  private final SubscriberCounters counters;
  private final BlockLog log;
  private final Arrivals.Line line;
  private final Consumer<DurableSubscriber<M>> onClose;
  private final long openedNanos;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Ledger ledger;

  @GuardedBy("lock")
  private final LogReader reader;

  @GuardedBy("lock")
  private final Redeliveries redeliveries;

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private long closedFloor;

  @GuardedBy("lock")
  private long delivered;

  @GuardedBy("lock")
  private long acked;

  /**
   * Opens it.
   *
   * @param ledger its own from now on, closed with it
   * @param onClose called once, after it was closed, without a lock
   */
  public DurableSubscriber(
      SubscriberContext<M> context,
      SubscriberConfig config,
      Ledger ledger,
      SubscriberCounters counters,
      Consumer<DurableSubscriber<M>> onClose) {
    this.context = context;
    this.config = config;
    this.ledger = ledger;
    this.counters = counters;
    this.onClose = onClose;
    this.log = context.log();
    this.line = log.arrivals().line();
    this.openedNanos = context.time().nanoTime();
    this.reader = log.reader();
    this.redeliveries = new Redeliveries(context.identity(), log, context.cache());
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public SubscriberConfig config() {
    return config;
  }

  MessageConverter<M> converter() {
    return context.converter();
  }

  String queueName() {
    return context.queue();
  }

  /** The counters that it writes, for the queue to take them out of the report. */
  public SubscriberCounters counters() {
    return counters;
  }

  @Override
  public @Nullable Delivery<M> next() {
    List<Delivery<M>> taken = take(1);
    return taken.isEmpty() ? null : taken.get(0);
  }

  @Override
  public @Nullable Delivery<M> next(Duration timeout) throws InterruptedException {
    List<Delivery<M>> taken = await(1, timeout);
    return taken.isEmpty() ? null : taken.get(0);
  }

  @Override
  public List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
    if (max < 1) {
      throw new IllegalArgumentException("a batch of " + max);
    }
    return await(max, timeout);
  }

  @Override
  public List<Delivery<M>> batch() throws InterruptedException {
    return await(config.batchSize(), config.pollTimeout());
  }

  private List<Delivery<M>> await(int max, Duration timeout) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    List<Delivery<M>> taken = take(max);
    if (!taken.isEmpty() || timeout.isZero() || timeout.isNegative()) {
      return taken;
    }
    long deadline = context.time().nanoTime() + saturatedNanos(timeout);
    while (true) {
      line.join(); // first, so that a publish after the look below wakes this thread
      try {
        taken = take(max);
        long left = deadline - context.time().nanoTime();
        if (!taken.isEmpty() || left <= 0) {
          return taken;
        }
        line.park(context.time(), Math.min(left, untilDue()));
      } finally {
        line.leave();
        if (Thread.currentThread().isInterrupted() || !taken.isEmpty()) {
          passOn();
        }
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** Wakes another waiting consumer if there is something for it to take, or to time. */
  private void passOn() {
    boolean more;
    lock.lock();
    try {
      more = !closed && (ledger.nextDueMillis() != Long.MAX_VALUE || hasMore());
    } finally {
      lock.unlock();
    }
    if (more) {
      line.wakeOne();
    }
  }

  private long untilDue() {
    lock.lock();
    try {
      if (closed || paused) {
        return Long.MAX_VALUE;
      }
      long due = ledger.nextDueMillis();
      return due == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(MILLI, (due - nowMillis()) * MILLI);
    } finally {
      lock.unlock();
    }
  }

  private static long saturatedNanos(Duration timeout) {
    return timeout.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : timeout.toNanos();
  }

  private List<Delivery<M>> take(int max) {
    boolean wake = false;
    lock.lock();
    try {
      ensureOpen();
      if (paused) {
        return List.of();
      }
      boolean idle = ledger.nextDueMillis() == Long.MAX_VALUE;
      List<Delivery<M>> taken = takeLocked(max);
      // consumers that wait without a time to look again need one now
      wake = !taken.isEmpty() && (hasMore() || (idle && config.ackRequired()));
      return taken;
    } finally {
      lock.unlock();
      if (wake) {
        line.wakeOne();
      }
    }
  }

  @GuardedBy("lock")
  private List<Delivery<M>> takeLocked(int max) {
    boolean sampled = (delivered & SAMPLE_MASK) == 0 || max > 1;
    long started = config.ackRequired() || sampled ? context.time().nanoTime() : 0;
    long now = (started - openedNanos) / MILLI;
    if (config.ackRequired()) {
      ledger.expire(now);
    }
    Delivery<M> first = poll(now);
    if (first == null) {
      return List.of();
    }
    List<Delivery<M>> taken = max == 1 ? List.of(first) : fill(first, max, now);
    delivered += taken.size();
    counters.reads().add(taken.size());
    counters.storeReads().add(taken.size());
    if (sampled) {
      counters.readTime().add(context.time().nanoTime() - started, taken.size());
    }
    return taken;
  }

  @GuardedBy("lock")
  private List<Delivery<M>> fill(Delivery<M> first, int max, long now) {
    List<Delivery<M>> taken = new ArrayList<>(Math.min(max, 64));
    taken.add(first);
    try {
      while (taken.size() < max) {
        Delivery<M> next = poll(now);
        if (next == null) {
          break;
        }
        taken.add(next);
      }
    } catch (DamagedMessageException e) {
      return taken; // what was handed over must reach the consumer; the next call meets the damage
      // again
    }
    return taken;
  }

  @GuardedBy("lock")
  private @Nullable Delivery<M> poll(long now) {
    if (config.ackRequired()) {
      long again = ledger.nextReady();
      if (again >= 0) {
        StoredMessage message = redeliveries.read(again, ledger.location(again));
        return delivery(message, ledger.redeliver(again, now), now);
      }
    }
    if (!ledger.hasRoom()) {
      return null;
    }
    long position = ledger.position();
    reader.moveTo(position);
    StoredMessage message = reader.next();
    return message == null
        ? null
        : delivery(message, ledger.handOver(position, reader.location(), now), now);
  }

  private Delivery<M> delivery(StoredMessage message, long ticket, long now) {
    return new MessageDelivery<>(this, message, ticket, (int) (now / 1_000));
  }

  @GuardedBy("lock")
  private boolean hasMore() {
    return ledger.nextReady() >= 0 || (ledger.hasRoom() && ledger.position() < log.nextSequence());
  }

  @Override
  public void ack(Delivery<M> delivery) {
    MessageDelivery<M> own = own(delivery);
    if (!config.ackRequired()) {
      return;
    }
    boolean stale;
    lock.lock();
    try {
      ensureOpen();
      stale = !acknowledge(own);
    } finally {
      lock.unlock();
    }
    if (stale) {
      throw stale(own);
    }
  }

  @Override
  public void ack(Collection<? extends Delivery<M>> deliveries) {
    if (!config.ackRequired()) {
      return;
    }
    List<MessageDelivery<M>> stale = new ArrayList<>(0);
    lock.lock();
    try {
      ensureOpen();
      for (Delivery<M> delivery : deliveries) {
        MessageDelivery<M> own = own(delivery);
        if (!acknowledge(own)) {
          stale.add(own);
        }
      }
    } finally {
      lock.unlock();
    }
    if (!stale.isEmpty()) {
      throw stale(stale.get(0));
    }
  }

  /** False if the delivery is stale. */
  @GuardedBy("lock")
  private boolean acknowledge(MessageDelivery<M> delivery) {
    if (delivery.verdict == MessageDelivery.Verdict.ACKED) {
      return true;
    }
    Outcome outcome = ledger.acknowledge(delivery.sequence(), delivery.ticket());
    if (outcome == Outcome.STALE) {
      return false;
    }
    delivery.verdict = MessageDelivery.Verdict.ACKED;
    if (outcome == Outcome.DONE) {
      acked++;
      counters.acks().add(1);
    }
    return true;
  }

  @Override
  public void ackUpTo(Delivery<M> delivery) {
    MessageDelivery<M> own = own(delivery);
    if (!config.ackRequired()) {
      return;
    }
    Outcome outcome;
    lock.lock();
    try {
      ensureOpen();
      if (own.verdict == MessageDelivery.Verdict.ACKED && own.sequence() < ledger.floor()) {
        return;
      }
      long before = ledger.unfinished();
      outcome = ledger.acknowledgeUpTo(own.sequence(), own.ticket());
      if (outcome != Outcome.STALE) {
        own.verdict = MessageDelivery.Verdict.ACKED;
        acked += before - ledger.unfinished();
        counters.acks().add(before - ledger.unfinished());
      }
    } finally {
      lock.unlock();
    }
    if (outcome == Outcome.STALE) {
      throw stale(own);
    }
  }

  void release(MessageDelivery<M> delivery) {
    giveBack(delivery, () -> ledger.release(delivery.sequence(), delivery.ticket()));
  }

  void retry(MessageDelivery<M> delivery, Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    giveBack(
        delivery,
        () -> ledger.retry(delivery.sequence(), delivery.ticket(), delay.toMillis(), nowMillis()));
  }

  private interface Step {
    Outcome run();
  }

  private void giveBack(MessageDelivery<M> delivery, Step step) {
    if (!config.ackRequired()) {
      return;
    }
    Outcome outcome;
    lock.lock();
    try {
      ensureOpen();
      if (delivery.verdict == MessageDelivery.Verdict.GIVEN_BACK) {
        return;
      }
      outcome = step.run();
      if (outcome == Outcome.DONE) {
        delivery.verdict = MessageDelivery.Verdict.GIVEN_BACK;
      }
    } finally {
      lock.unlock();
    }
    if (outcome == Outcome.STALE) {
      throw stale(delivery);
    }
    line.wakeOne();
  }

  void extend(MessageDelivery<M> delivery, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    if (!config.ackRequired()) {
      return;
    }
    Outcome outcome;
    lock.lock();
    try {
      ensureOpen();
      long latest = delivery.handedOverSecond() * 1_000L + MAX_EXTENSION_MILLIS;
      outcome =
          ledger.extend(
              delivery.sequence(), delivery.ticket(), time.toMillis(), nowMillis(), latest);
    } finally {
      lock.unlock();
    }
    if (outcome == Outcome.STALE) {
      throw stale(delivery);
    }
    line.wakeOne(); // it may be due earlier now than a waiting consumer has in mind
  }

  @Override
  public void seek(Position position) {
    context.removal().lock();
    try {
      moveTo(resolve(position));
    } finally {
      context.removal().unlock();
    }
    line.wakeAll();
  }

  @Override
  public long purge() {
    context.removal().lock();
    try {
      long lag = stats().lag();
      moveTo(log.nextSequence());
      return lag;
    } finally {
      context.removal().unlock();
    }
  }

  private void moveTo(long sequence) {
    lock.lock();
    try {
      ensureOpen();
      ledger.seek(sequence);
      reader.moveTo(sequence);
    } finally {
      lock.unlock();
    }
  }

  private long resolve(Position position) {
    try (LogReader lookup = log.reader()) {
      return resolve(position, log, lookup);
    }
  }

  /** The sequence that a position means in this log, now. */
  public static long resolve(Position position, BlockLog log, LogReader lookup) {
    if (position instanceof Position.Latest) {
      return log.nextSequence();
    }
    if (position instanceof Position.At at) {
      return Math.max(log.firstSequence(), Math.min(at.sequence(), log.nextSequence()));
    }
    if (position instanceof Position.Since since) {
      long micros =
          TimeUnit.SECONDS.toMicros(since.time().getEpochSecond()) + since.time().getNano() / 1_000;
      return log.sequenceAt(micros, lookup).orElse(log.nextSequence());
    }
    return log.firstSequence();
  }

  @Override
  public void pause() {
    setPaused(true);
  }

  @Override
  public void resume() {
    setPaused(false);
    line.wakeAll();
  }

  private void setPaused(boolean value) {
    lock.lock();
    try {
      ensureOpen();
      paused = value;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public SubscriberStats stats() {
    lock.lock();
    try {
      ensureOpen();
      long lag = log.nextSequence() - ledger.position() + ledger.unfinished();
      return new SubscriberStats(
          lag, ledger.inFlight(), ledger.floor(), delivered, acked, ledger.redelivered());
    } finally {
      lock.unlock();
    }
  }

  /** The lowest sequence that it still needs. */
  public long floor() {
    lock.lock();
    try {
      return closed ? closedFloor : ledger.floor();
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of a block that it has finished, so that its file can be removed. */
  public void leave(int block) {
    lock.lock();
    try {
      if (!closed) {
        reader.leave(block);
        redeliveries.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forces its ledger to the device; called by the flusher, after the log was forced. */
  @SuppressWarnings(
      "GuardedBy") // the one method of a ledger that is made for a thread without the lock
  public void force() {
    ledger.force();
  }

  String receipt(long sequence, long ticket) {
    return Long.toString(sequence)
        + "-"
        + Long.toHexString(ticket)
        + "-"
        + Long.toHexString(openedNanos);
  }

  private long nowMillis() {
    return (context.time().nanoTime() - openedNanos) / MILLI;
  }

  private MessageDelivery<M> own(Delivery<M> delivery) {
    if (delivery instanceof MessageDelivery<M> own && own.subscriber() == this) {
      return own;
    }
    throw new IllegalArgumentException(
        "the delivery is not one of subscriber " + config.name() + " of queue " + context.queue());
  }

  @GuardedBy("lock")
  private void ensureOpen() {
    if (closed) {
      throw new QueueClosedException(
          "subscriber " + config.name() + " of queue " + context.queue() + " is closed");
    }
  }

  private StaleReceiptException stale(MessageDelivery<M> delivery) {
    return new StaleReceiptException(
        "queue "
            + context.queue()
            + ", subscriber "
            + config.name()
            + ", sequence "
            + delivery.sequence()
            + ": the receipt of attempt "
            + delivery.attempt()
            + " is stale; the message was delivered again, given back or finished otherwise");
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      closedFloor = ledger.floor();
      reader.close();
      redeliveries.close();
    } finally {
      lock.unlock();
    }
    line.close();
    onClose.accept(this);
  }

  /** Ends the ledger of a closed subscriber; the last that is done to it. */
  @SuppressWarnings("GuardedBy") // closed: nothing else calls the ledger but force(), which may
  public void end() {
    ledger.close();
  }
}
