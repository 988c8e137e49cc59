package com.wookler.river.ack;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * What consumers call at once, on a ledger as a subscriber uses it: each call under its lock. Each
 * order of messages has a subclass, which Lincheck is given.
 */
public abstract class LedgerCalls {
  static final int MESSAGES = 5;
  private static final String SEQUENCES = "0:4";

  private final Lock lock;
  private final AckLedger ledger;
  private final long[] latest = new long[MESSAGES];
  private final long[] before = new long[MESSAGES];
  private long now;

  LedgerCalls(Lock lock, boolean byKey) {
    this.lock = lock;
    this.ledger =
        new AckLedger(
            new Limits(10, 3, 8, Retries.ENDLESS, byKey),
            new Ring(0),
            new NoJournal(),
            new RecoveryReport(true, 0, 0, 0, 1, 0, 0, 0, 0, 0, List.of()));
  }

  /** Hands the next message over; its delivery tag, or {@link Ledger#NOT_NOW}. */
  abstract long deliver(AckLedger ledger, long next, long now);

  /** Sees a message that was delivered, again or not. */
  void see(AckLedger ledger, int sequence) {}

  private <T> T locked(Supplier<T> call) {
    lock.lock();
    try {
      return call.get();
    } finally {
      lock.unlock();
    }
  }

  /** What was delivered, as sequence and attempt; -1 if there was nothing. */
  @Operation
  public int take() {
    return locked(
        () -> {
          long ready = ledger.nextReady();
          if (ready >= 0) {
            return deliveredEnd((int) ready, ledger.redeliver(ready, now));
          }
          while (ledger.position() < MESSAGES && ledger.canDeliver()) {
            long next = ledger.position();
            long tag = deliver(ledger, next, now);
            if (tag != Ledger.NOT_NOW) {
              return deliveredEnd((int) next, tag);
            }
          }
          return -1;
        });
  }

  private int deliveredEnd(int sequence, long tag) {
    see(ledger, sequence);
    before[sequence] = latest[sequence];
    latest[sequence] = tag;
    return sequence * 10 + Ledger.attempt(tag);
  }

  /** With the delivery tag of the latest delivery. */
  @Operation
  public AckResult acknowledge(@Param(gen = IntGen.class, conf = SEQUENCES) int sequence) {
    return locked(() -> ledger.acknowledge(sequence, latest[sequence]));
  }

  /** With the delivery tag of the delivery before. */
  @Operation
  public AckResult acknowledgeLate(@Param(gen = IntGen.class, conf = SEQUENCES) int sequence) {
    return locked(() -> ledger.acknowledge(sequence, before[sequence]));
  }

  /** This one, and those below it that were delivered. */
  @Operation
  public AckResult acknowledgeUpTo(@Param(gen = IntGen.class, conf = SEQUENCES) int sequence) {
    return locked(() -> ledger.acknowledgeUpTo(sequence, latest[sequence]));
  }

  /** To be delivered again at once, or later. */
  @Operation
  public AckResult giveBack(
      @Param(gen = IntGen.class, conf = SEQUENCES) int sequence,
      @Param(gen = IntGen.class, conf = "0:1") int later) {
    return locked(() -> ledger.retry(sequence, latest[sequence], later * 5L, now));
  }

  /** Lets all that is out or delayed fall due; how many those were. */
  @Operation
  public int timeOut() {
    return locked(
        () -> {
          now += 10;
          return ledger.collectTimedOut(now);
        });
  }

  /** Moves the subscriber. */
  @Operation
  public long seek(@Param(gen = IntGen.class, conf = SEQUENCES) int sequence) {
    return locked(
        () -> {
          ledger.seek(sequence);
          return ledger.lowWatermark();
        });
  }

  /** Low watermark, position, counts and whether keys are locked, in one number. */
  @Operation
  public long look() {
    return locked(
        () ->
            ledger.lowWatermark() * 100_000
                + ledger.position() * 10_000
                + ledger.count(EntryState.IN_FLIGHT) * 1_000L
                + ledger.count(EntryState.WAITING) * 100L
                + ledger.count(EntryState.COMPLETED) * 10L
                + (ledger.isLocked(1) ? 1 : 0)
                + (ledger.isLocked(2) ? 2 : 0));
  }
}
