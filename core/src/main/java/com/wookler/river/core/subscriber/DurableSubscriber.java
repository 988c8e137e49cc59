package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Outcome;
import com.wookler.river.core.log.Arrivals;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.MessageConverter;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber: one lock around a feed of messages, a ledger of what became of them, and the
 * verdicts of consumers.
 *
 * <p>The lock is held for a poll or a verdict, never while a consumer waits and never across the
 * converter. Created by the queue only.
 *
 * @param <M> type of the data
 */
public final class DurableSubscriber<M> implements Subscriber<M> {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int SAMPLE_MASK = 63;

  private final SubscriberContext<M> context;
  private final SubscriberConfig config;
  private final SubscriberCounters counters;
  private final Refusals refusals;
  private final BlockLog log;
  private final Arrivals.Line line;
  private final WaitingRoom<Delivery<M>> waiting;
  private final Consumer<DurableSubscriber<M>> onClose;
  private final long openedNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock closing = new ReentrantLock(); // taken before lock

  @GuardedBy("lock")
  private final Ledger ledger;

  @GuardedBy("lock")
  private final Feed<M> feed;

  @GuardedBy("lock")
  private final Verdicts<M> verdicts;

  /** Whether the ledger has changed since it was last forced; set under the lock. */
  private volatile boolean unforced = true;

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private long closedFloor;

  /**
   * Opens it.
   *
   * @param ledger its own from now on, closed with it
   * @param onClose called once, after it was closed, without a lock; must call {@link #end}
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
    this.refusals = new Refusals(context.queue(), config.name());
    this.log = context.log();
    this.openedNanos = context.time().nanoTime();
    this.feed = new Feed<>(this, context, ledger);
    this.verdicts = new Verdicts<>(ledger, counters.acks());
    this.line = log.arrivals().line();
    this.waiting = new WaitingRoom<>(line, context.time(), new Source());
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
    return take(Feed::takeOne, 1);
  }

  @Override
  public @Nullable Delivery<M> next(Duration timeout) throws InterruptedException {
    List<Delivery<M>> taken = waiting.await(1, timeout);
    return taken.isEmpty() ? null : taken.get(0);
  }

  @Override
  public List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
    if (max < 1) {
      throw new IllegalArgumentException("a batch of " + max);
    }
    return waiting.await(max, timeout);
  }

  @Override
  public List<Delivery<M>> batch() throws InterruptedException {
    return waiting.await(config.batchSize(), config.pollTimeout());
  }

  private List<Delivery<M>> take(int max) {
    List<Delivery<M>> taken = take((from, nowMillis) -> from.take(max, nowMillis), max);
    return taken == null ? List.of() : taken;
  }

  private <T> @Nullable T take(Feed.Taking<M, T> taking, int max) {
    boolean wake = false;
    lock.lock();
    try {
      ensureOpen();
      if (paused) {
        line.listen(false);
        return null;
      }
      boolean nothingDue = ledger.nextDueMillis() == Long.MAX_VALUE;
      long before = feed.taken();
      boolean sampled = max > 1 || (before & SAMPLE_MASK) == 0;
      long started = config.ackRequired() || sampled ? context.time().nanoTime() : openedNanos;
      T taken = taking.from(feed, (started - openedNanos) / MILLI);
      if (taken == null) {
        line.listen(ledger.hasRoom());
        wake = feed.hasMore(); // published since the look, and before it listened
      } else {
        took(feed.taken() - before, sampled ? started : openedNanos);
        // whoever waits without a time to look again needs one, now that something can fall due
        wake = feed.hasMore() || (nothingDue && config.ackRequired());
      }
      return taken;
    } finally {
      lock.unlock();
      if (wake) {
        line.wakeOne();
      }
    }
  }

  /** Counts what was taken; {@link #openedNanos} says that the beginning was not looked at. */
  @GuardedBy("lock")
  private void took(long messages, long started) {
    changed();
    counters.reads().add(messages);
    counters.storeReads().add(messages);
    if (started != openedNanos) {
      counters.readTime().add(context.time().nanoTime() - started, messages);
    }
  }

  /** What its waiting room asks. */
  private final class Source implements WaitingRoom.Source<Delivery<M>> {
    @Override
    public List<Delivery<M>> take(int max) {
      return DurableSubscriber.this.take(max);
    }

    @Override
    public long nanosUntilDue() {
      lock.lock();
      try {
        if (closed || paused || ledger.nextDueMillis() == Long.MAX_VALUE) {
          return Long.MAX_VALUE;
        }
        return Math.max(MILLI, (ledger.nextDueMillis() - nowMillis()) * MILLI);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean needsAnother() {
      lock.lock();
      try {
        return !closed && (ledger.nextDueMillis() != Long.MAX_VALUE || feed.hasMore());
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void ack(Delivery<M> delivery) {
    decide(own(delivery), Verdicts::acknowledge, false);
  }

  @Override
  public void ackUpTo(Delivery<M> delivery) {
    decide(own(delivery), Verdicts::acknowledgeUpTo, false);
  }

  void release(MessageDelivery<M> delivery) {
    decide(delivery, Verdicts::release, true);
  }

  void retry(MessageDelivery<M> delivery, Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    decide(delivery, (own, given) -> own.retry(given, delay.toMillis(), nowMillis()), true);
  }

  void extend(MessageDelivery<M> delivery, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    decide(delivery, (own, given) -> own.extend(given, time.toMillis(), nowMillis()), true);
  }

  /** Carries a decision out, which may have a message due before a waiting consumer would look. */
  private void decide(MessageDelivery<M> delivery, Verdicts.Decision<M> decision, boolean retimes) {
    if (!config.ackRequired()) {
      return;
    }
    Outcome outcome;
    boolean wake;
    lock.lock();
    try {
      ensureOpen();
      boolean full = !ledger.hasRoom();
      outcome = decision.over(verdicts, delivery);
      wake = decided(full) || retimes;
    } finally {
      lock.unlock();
    }
    tell(wake, outcome == Outcome.STALE ? delivery : null);
  }

  @Override
  public void ack(Collection<? extends Delivery<M>> deliveries) {
    if (!config.ackRequired()) {
      return;
    }
    deliveries.forEach(this::own); // a foreign one is refused before any is decided
    MessageDelivery<M> stale = null;
    boolean wake;
    lock.lock();
    try {
      ensureOpen();
      boolean full = !ledger.hasRoom();
      for (Delivery<M> delivery : deliveries) {
        MessageDelivery<M> own = own(delivery);
        if (verdicts.acknowledge(own) == Outcome.STALE) {
          stale = own;
        }
      }
      wake = decided(full);
    } finally {
      lock.unlock();
    }
    tell(wake, stale);
  }

  /** Whether somebody who waits can go on now: no publish tells of room. */
  @GuardedBy("lock")
  private boolean decided(boolean wasFull) {
    changed();
    if (wasFull) {
      line.listen(true);
    }
    return wasFull && feed.hasMore();
  }

  private void tell(boolean wake, @Nullable MessageDelivery<M> stale) {
    if (wake) {
      line.wakeOne();
    }
    if (stale != null) {
      throw refusals.stale(stale);
    }
  }

  @Override
  public void seek(Position position) {
    context.removal().lock();
    try (LogReader lookup = log.reader()) {
      if (!isOpen()) { // before the log is read, which the queue closes after its subscribers
        throw refusals.closed();
      }
      moveTo(Positions.resolve(position, log, lookup));
    } finally {
      context.removal().unlock();
    }
    line.wakeAll();
  }

  @Override
  public long purge() {
    long lag;
    context.removal().lock();
    try {
      lag = stats().lag();
      moveTo(log.nextSequence());
    } finally {
      context.removal().unlock();
    }
    line.wakeAll(); // what was published meanwhile found nobody listening if it was full
    return lag;
  }

  private void moveTo(long sequence) {
    lock.lock();
    try {
      ensureOpen();
      ledger.seek(sequence);
      line.listen(true);
      changed();
    } finally {
      lock.unlock();
    }
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
      line.listen(!value);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public SubscriberStats stats() {
    lock.lock();
    try {
      ensureOpen();
      return new SubscriberStats(
          log.nextSequence() - ledger.floor() - ledger.finishedAboveFloor(),
          ledger.inFlight(),
          ledger.floor(),
          feed.taken(),
          verdicts.acked(),
          ledger.redelivered());
    } finally {
      lock.unlock();
    }
  }

  /** Whether nobody has begun to close it. */
  public boolean isOpen() {
    lock.lock();
    try {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** The lowest sequence that it still needs; also after it was closed. */
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
        feed.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  /** To be called behind the change: a force that runs before it must leave the flag set. */
  private void changed() {
    VarHandle.fullFence(); // the change must not be seen after the flag was found set
    if (!unforced) { // a store that other cores must see, only where it says something new
      unforced = true;
    }
  }

  /** Whether there is something to {@link #force}. */
  public boolean isUnforced() {
    return unforced;
  }

  /** Forces its ledger to the device; called by the flusher, after the log was forced. */
  @SuppressWarnings("GuardedBy") // the one method of a ledger that is made for a thread without it
  public void force() {
    unforced = false; // before, so that what happens meanwhile is forced the next time
    try {
      ledger.force();
    } catch (RuntimeException | Error e) {
      unforced = true; // or an idle subscriber's acknowledgements would never be forced
      throw e;
    }
  }

  String receipt(long sequence, long ticket) {
    return sequence + "-" + Long.toHexString(ticket) + "-" + Long.toHexString(openedNanos);
  }

  private long nowMillis() {
    return (context.time().nanoTime() - openedNanos) / MILLI;
  }

  private MessageDelivery<M> own(Delivery<M> delivery) {
    if (delivery instanceof MessageDelivery<M> own && own.subscriber() == this) {
      return own;
    }
    throw refusals.foreign();
  }

  @GuardedBy("lock")
  private void ensureOpen() {
    if (closed) {
      throw refusals.closed();
    }
  }

  @Override
  public void close() {
    closing.lock(); // whoever closes second must find it closed when this returns
    try {
      if (markClosed()) {
        line.close();
        onClose.accept(this);
      }
    } finally {
      closing.unlock();
    }
  }

  private boolean markClosed() {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      closed = true;
      closedFloor = ledger.floor();
      feed.close();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the ledger of a closed subscriber; the last that is done to it. */
  @SuppressWarnings("GuardedBy") // closed: nothing else calls the ledger but force(), which may
  public void end() {
    ledger.close();
  }
}
