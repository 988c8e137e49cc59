package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Like {@link LedgerInterleavingTest}, in the order of two keys: consumers that take, acknowledge,
 * give back, wait for a delay, time out and seek at once. Each interleaving gives what some order
 * of the same calls gives, and at no time are two messages of a key out, or is a later one handed
 * over before an earlier one is finished. {@code -Driver.lincheck.iterations} looks at more.
 */
class KeyInterleavingTest {
  private static final int MESSAGES = 5;
  private static final int ITERATIONS = Integer.getInteger("river.lincheck.iterations", 4);

  /** A ledger as a subscriber uses it: each call under its lock. */
  public static class UnderLock {
    private final Lock lock;
    private final AckLedger ledger =
        new AckLedger(
            new Limits(10, 3, 8, Retries.ENDLESS, true),
            new Ring(0),
            new NoJournal(),
            new RecoveryReport(true, 0, 0, 0, 1, 0, 0, 0, 0, List.of()));
    private final long[] latest = new long[MESSAGES];
    private long now;
    private boolean outOfOrder;

    /** With a real lock. */
    public UnderLock() {
      this(new ReentrantLock());
    }

    UnderLock(Lock lock) {
      this.lock = lock;
    }

    private static long key(long sequence) {
      return 1 + sequence % 2;
    }

    /** What was handed over, as sequence and attempt; -1 if there was nothing. */
    @Operation
    public int take() {
      lock.lock();
      try {
        long ready = ledger.nextReady();
        if (ready >= 0) {
          return handedOver((int) ready, ledger.redeliver(ready, now));
        }
        while (ledger.position() < MESSAGES && ledger.hasRoom()) {
          long next = ledger.position();
          long ticket = ledger.handOver(next, next, key(next), now);
          if (ticket != Ledger.NOT_NOW) {
            return handedOver((int) next, ticket);
          }
        }
        return -1;
      } finally {
        lock.unlock();
      }
    }

    private int handedOver(int sequence, long ticket) {
      for (int earlier = sequence - 2; earlier >= 0; earlier -= 2) {
        outOfOrder |= !ledger.isFinished(earlier);
      }
      latest[sequence] = ticket;
      return sequence * 10 + Ledger.attempt(ticket);
    }

    /** With the ticket of the latest delivery. */
    @Operation
    public Outcome acknowledge(@Param(gen = IntGen.class, conf = "0:4") int sequence) {
      lock.lock();
      try {
        return ledger.acknowledge(sequence, latest[sequence]);
      } finally {
        lock.unlock();
      }
    }

    /** This one, and those below it that were handed over. */
    @Operation
    public Outcome acknowledgeUpTo(@Param(gen = IntGen.class, conf = "0:4") int sequence) {
      lock.lock();
      try {
        return ledger.acknowledgeUpTo(sequence, latest[sequence]);
      } finally {
        lock.unlock();
      }
    }

    /** To be delivered again at once, or later. */
    @Operation
    public Outcome giveBack(
        @Param(gen = IntGen.class, conf = "0:4") int sequence,
        @Param(gen = IntGen.class, conf = "0:1") int later) {
      lock.lock();
      try {
        return ledger.retry(sequence, latest[sequence], later * 5L, now);
      } finally {
        lock.unlock();
      }
    }

    /** Lets all that is out or delayed fall due; how many those were. */
    @Operation
    public int timeOut() {
      lock.lock();
      try {
        now += 10;
        return ledger.expire(now);
      } finally {
        lock.unlock();
      }
    }

    /** Moves the subscriber. */
    @Operation
    public long seek(@Param(gen = IntGen.class, conf = "0:4") int sequence) {
      lock.lock();
      try {
        ledger.seek(sequence);
        return ledger.floor();
      } finally {
        lock.unlock();
      }
    }

    /** Floor, position and counts in one number, and whether the keys are busy. */
    @Operation
    public long look() {
      lock.lock();
      try {
        return ledger.floor() * 100_000
            + ledger.position() * 10_000
            + ledger.inFlight() * 1_000L
            + ledger.waiting() * 100L
            + ledger.finishedAboveFloor() * 10
            + (ledger.isBusy(1) ? 1 : 0)
            + (ledger.isBusy(2) ? 2 : 0);
      } finally {
        lock.unlock();
      }
    }

    /** Throws if a key was handed over out of its order. */
    @Validate
    public void shouldBeInOrder() {
      if (outOfOrder) {
        throw new IllegalStateException("handed over before an earlier one of its key is finished");
      }
    }
  }

  /** The same without a lock, which must not pass. */
  public static final class WithoutLock extends UnderLock {
    /** With a lock that keeps nobody out. */
    public WithoutLock() {
      super(new OpenLock());
    }
  }

  private static ModelCheckingOptions interleavings() {
    return new ModelCheckingOptions()
        .iterations(ITERATIONS)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(5)
        .minimizeFailedScenario(false);
  }

  @Test
  void shouldBeTheSameAsSomeOrderWhateverInterleaves() {
    interleavings().check(UnderLock.class);
  }

  @Test
  void shouldBeTheSameAsSomeOrderOnRealThreads() {
    new StressOptions()
        .iterations(ITERATIONS)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(5)
        .check(UnderLock.class);
  }

  @Test
  void shouldFindThatTheLockIsNeeded() {
    assertThatThrownBy(() -> interleavings().check(WithoutLock.class))
        .isInstanceOf(LincheckAssertionError.class);
  }
}
