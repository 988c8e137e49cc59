package com.wookler.river.ack.journal;

import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.DeliveryTag;
import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.RecoveryReport;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;

/**
 * The ledger of a subscriber without acknowledgement: a message is completed when it is delivered,
 * so that low watermark and position are one number. Guarded by the subscriber's lock.
 */
final class PositionLedger implements Ledger {
  private static final long FIRST_ATTEMPT = DeliveryTag.of(0, 1);

  private final Cursor cursor;
  private final RecoveryReport recovery;
  private long position;
  private long written; // the position in the cursor
  private boolean closed;

  PositionLedger(Cursor cursor, RecoveryReport recovery) {
    this.cursor = cursor;
    this.recovery = recovery;
    this.position = recovery.lowWatermark();
    this.written = position;
  }

  @Override
  public long lowWatermark() {
    return position();
  }

  /** Does nothing: what was delivered is completed. */
  @Override
  public void limit(Limits to) {}

  @Override
  public long position() {
    requireOpen();
    return position;
  }

  @Override
  public boolean canDeliver() {
    requireOpen();
    return true;
  }

  @Override
  public long deliverNext(long sequence, long address, long nowMillis) {
    requireOpen();
    if (sequence != position) {
      throw new IllegalStateException(
          "cannot deliver sequence " + sequence + ": position " + position);
    }
    position = sequence + 1;
    return FIRST_ATTEMPT;
  }

  @Override
  public void writeDelivered() {
    requireOpen();
    if (position != written) {
      try {
        cursor.store(position);
        written = position;
      } finally {
        position = written; // what could not be written is delivered again
      }
    }
  }

  @Override
  public long deliver(long sequence, long address, long key, long nowMillis) {
    requireOpen();
    throw new IllegalStateException("without acknowledgement nothing waits for a key");
  }

  @Override
  public boolean isLocked(long key) {
    requireOpen();
    return false;
  }

  @Override
  public boolean pollUnlocked() {
    requireOpen();
    return false;
  }

  @Override
  public long skip(long end) {
    requireOpen();
    if (end > position) {
      moveTo(end);
    }
    return position;
  }

  @Override
  public long discard(long end) {
    long before = position;
    return skip(end) - before;
  }

  @Override
  public AckResult acknowledge(long sequence, long tag) {
    return done();
  }

  @Override
  public int acknowledge(long first, long[] tags, int from, int count) {
    requireOpen();
    return count;
  }

  @Override
  public AckResult acknowledgeUpTo(long sequence, long tag) {
    return done();
  }

  @Override
  public AckResult release(long sequence, long tag) {
    return done();
  }

  @Override
  public AckResult retry(long sequence, long tag, long delayMillis, long nowMillis) {
    return done();
  }

  @Override
  public AckResult extend(long sequence, long tag, long millis, long nowMillis, long latestMillis) {
    return done();
  }

  @Override
  public int collectTimedOut(long nowMillis) {
    return none();
  }

  @Override
  public long nextReady() {
    requireOpen();
    return -1;
  }

  @Override
  public long address(long sequence) {
    requireOpen();
    throw new IllegalArgumentException("sequence " + sequence + " is completed");
  }

  @Override
  public long redeliver(long sequence, long nowMillis) {
    requireOpen();
    throw new IllegalStateException("sequence " + sequence + " isn't the next to redeliver");
  }

  @Override
  public boolean skipExhausted() {
    requireOpen();
    return false;
  }

  @Override
  public boolean skipPostponed(long nowMillis) {
    requireOpen();
    return false;
  }

  @Override
  public long nextExhausted() {
    requireOpen();
    return -1;
  }

  @Override
  public long startDeadLetter(long sequence) {
    requireOpen();
    throw new IllegalStateException("sequence " + sequence + " isn't exhausted");
  }

  @Override
  public AckResult startDeadLetter(long sequence, long tag) {
    return done();
  }

  @Override
  public boolean completeDeadLetter(long sequence, long tag) {
    requireOpen();
    return false;
  }

  @Override
  public void cancelDeadLetter(long sequence, long tag, long nowMillis) {
    requireOpen();
  }

  @Override
  public boolean complete(long sequence) {
    requireOpen();
    return false;
  }

  @Override
  public EntryState withdraw(long sequence) {
    return isCompleted(sequence) ? EntryState.COMPLETED : EntryState.UNSEEN;
  }

  @Override
  public boolean isCompleted(long sequence) {
    requireOpen();
    return sequence < position;
  }

  @Override
  public int attempts(long sequence) {
    return none();
  }

  @Override
  public long available(long from) {
    requireOpen();
    return Math.max(from, position);
  }

  @Override
  public boolean isPostponed(long sequence, long nowMillis) {
    requireOpen();
    return false;
  }

  @Override
  public long nextDueMillis() {
    requireOpen();
    return Long.MAX_VALUE;
  }

  @Override
  public void seek(long sequence) {
    requireOpen();
    if (sequence < 0) {
      throw new IllegalArgumentException("negative sequence " + sequence);
    }
    cursor.reset(sequence);
    position = sequence;
    written = sequence;
    force();
  }

  @Override
  public int count(EntryState state) {
    return none();
  }

  @Override
  public long unfinished() {
    return none();
  }

  @Override
  public long redelivered() {
    return none();
  }

  @Override
  public long timedOut() {
    return none();
  }

  @Override
  public long unjournaled() {
    return none();
  }

  @Override
  public RecoveryReport recovery() {
    return recovery;
  }

  @Override
  public void force() {
    try {
      cursor.force();
    } catch (IOException e) {
      throw new RiverException("cannot force " + cursor.path(), e);
    }
  }

  @Override
  public void forceCompleted() {
    force();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    cursor.close();
  }

  private void moveTo(long next) {
    cursor.store(next);
    position = next;
    written = next;
  }

  private AckResult done() {
    requireOpen();
    return AckResult.DONE;
  }

  private int none() {
    requireOpen();
    return 0;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the ledger is closed");
    }
  }
}
