package com.wookler.river.core.delay;

import com.wookler.river.common.TimerClock;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.SequentialReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log and collects its delayed messages. Guarded by the lock of {@link Timers}, except
 * for {@link #beforeAppend} and {@link #afterAppend}.
 */
final class Collector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
  private static final int STEP = 2_048;

  private final BlockLog log;
  private final TimerClock clock;
  private final NextDue due;
  private final SequentialReader reader;
  private final AtomicInteger publishing = new AtomicInteger();
  // the delayed messages below this sequence may not be collected yet
  private final AtomicLong announced;
  private final long openedEnd;
  private final long copiedBefore; // copies of earlier runs below it are counted in done
  private Set<Long> known; // messages of the log that are not to be collected
  private long collected;
  private long caughtUpAt; // when all of the log was collected

  Collector(DelayContext context, StoreOpening.Opened opened, TimerClock clock, NextDue due) {
    this.log = context.log();
    this.clock = clock;
    this.due = due;
    this.reader = new SequentialReader(log, (at, first) -> passOver(context, at, first));
    this.openedEnd = log.nextSequence();
    this.announced = new AtomicLong(openedEnd);
    this.copiedBefore = opened.state().copied();
    this.known = opened.known();
    this.collected = opened.state().collected();
    this.caughtUpAt = clock.now();
  }

  /** Reports damage: a delayed message may be lost by it, though all subscribers have read on. */
  private static long passOver(DelayContext context, long sequence, boolean first) {
    long end = context.queueParts().passOver(sequence);
    if (end <= sequence && first) {
      LOG.error(
          "Queue {}: sequence {} is damaged, and perhaps what follows it; was it delayed, it will"
              + " not come",
          context.queue(),
          sequence);
    }
    return end;
  }

  /** Records that a message which may be delayed is about to be appended. */
  void beforeAppend() {
    publishing.incrementAndGet();
  }

  /** Records that it was appended, or not. */
  void afterAppend() {
    announced.accumulateAndGet(log.nextSequence(), Math::max);
    publishing.decrementAndGet();
  }

  /** Collects some while fewer than {@code most} are in no file; returns whether there are more. */
  boolean step(int most) {
    long now = clock.now();
    long end = passOver();
    for (int i = 0; i < STEP && collected < end && due.fresh.size() < most; i++) {
      StoredMessage message = reader.read(collected);
      if (message != null && Terms.isDelayed(message.terms())) {
        collect(message, reader.location());
      }
      collected = Math.max(collected, reader.next());
    }
    if (collected >= openedEnd) {
      known = Set.of();
    }
    if (collected >= end) {
      caughtUpAt = now;
    }
    return collected < end;
  }

  /** Passes over what cannot be delayed. Returns the sequence up to which to read the log. */
  long passOver() {
    long end = log.nextSequence(); // before it is asked whether a publish is under way
    if (publishing.get() == 0 && collected >= announced.get()) {
      collected = Math.max(collected, end);
    }
    return end;
  }

  private void collect(StoredMessage message, long address) {
    Terms terms = message.terms();
    long sequence = message.sequence();
    if (terms == null || known.contains(sequence)) {
      return;
    }
    long now = clock.now();
    long ago = Math.max(0, log.times().ageOf(message.publishedMicros()));
    if (sequence >= openedEnd) { // the wall clock may have been set since
      ago = Math.min(ago, now - caughtUpAt);
    }
    due.add(terms.dueAt(now - ago), sequence, address);
  }

  /** Returns the sequence up to which the log was collected. */
  long collected() {
    return collected;
  }

  /**
   * Returns the sequence below which an opening need not look for copies. It does not rise before
   * all is collected that an earlier run may have copied: the next opening would not know those.
   */
  long copied() {
    return collected >= openedEnd ? log.nextSequence() : copiedBefore;
  }

  void leave(int block) {
    reader.leave(block);
  }

  @Override
  public void close() {
    reader.close();
  }
}
