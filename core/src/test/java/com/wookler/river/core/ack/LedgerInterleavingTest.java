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
import org.junit.jupiter.api.Test;

/**
 * Consumers that take, acknowledge, give back and seek at once, while deliveries time out: under
 * the subscriber's lock each interleaving gives what some order of the same calls gives. So no
 * message is finished twice, lost, or with two owners. {@code -Driver.lincheck.iterations} looks at
 * more scenarios.
 */
class LedgerInterleavingTest {
  private static final int MESSAGES = 4;
  private static final int ITERATIONS = Integer.getInteger("river.lincheck.iterations", 2);

  /** A ledger as a subscriber uses it: each call under its lock. */
  public static class UnderLock {
    private final Lock lock;
    private final AckLedger ledger =
        new AckLedger(
            new Limits(10, 3, 8),
            new Ring(0),
            new NoJournal(),
            new RecoveryReport(true, 0, 0, 0, 1, 0, 0, 0, 0, List.of()));
    private final long[] latest = new long[MESSAGES];
    private final long[] before = new long[MESSAGES];
    private long now;

    /** With a real lock. */
    public UnderLock() {
      this(new ReentrantLock());
    }

    UnderLock(Lock lock) {
      this.lock = lock;
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
        long next = ledger.position();
        return next < MESSAGES && ledger.hasRoom()
            ? handedOver((int) next, ledger.handOver(next, next, now))
            : -1;
      } finally {
        lock.unlock();
      }
    }

    private int handedOver(int sequence, long ticket) {
      before[sequence] = latest[sequence];
      latest[sequence] = ticket;
      return sequence * 10 + Ledger.attempt(ticket);
    }

    /** With the ticket of the latest delivery. */
    @Operation
    public Outcome acknowledge(@Param(gen = IntGen.class, conf = "0:3") int sequence) {
      lock.lock();
      try {
        return ledger.acknowledge(sequence, latest[sequence]);
      } finally {
        lock.unlock();
      }
    }

    /** With the ticket of the delivery before. */
    @Operation
    public Outcome acknowledgeLate(@Param(gen = IntGen.class, conf = "0:3") int sequence) {
      lock.lock();
      try {
        return ledger.acknowledge(sequence, before[sequence]);
      } finally {
        lock.unlock();
      }
    }

    /** To be delivered again at once. */
    @Operation
    public Outcome giveBack(@Param(gen = IntGen.class, conf = "0:3") int sequence) {
      lock.lock();
      try {
        return ledger.retry(sequence, latest[sequence], 0, now);
      } finally {
        lock.unlock();
      }
    }

    /** Lets all that is out time out; how many those were. */
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
    public long seek(@Param(gen = IntGen.class, conf = "0:3") int sequence) {
      lock.lock();
      try {
        ledger.seek(sequence);
        return ledger.floor();
      } finally {
        lock.unlock();
      }
    }

    /** Floor, position and counts in one number. */
    @Operation
    public long look() {
      lock.lock();
      try {
        return ledger.floor() * 1000
            + ledger.position() * 100
            + ledger.inFlight() * 10L
            + ledger.finishedAboveFloor();
      } finally {
        lock.unlock();
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
        .actorsBefore(4)
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
        .actorsBefore(4)
        .check(UnderLock.class);
  }

  @Test
  void shouldFindThatTheLockIsNeeded() {
    assertThatThrownBy(() -> interleavings().check(WithoutLock.class))
        .isInstanceOf(LincheckAssertionError.class);
  }
}
