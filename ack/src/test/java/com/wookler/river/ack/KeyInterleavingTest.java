package com.wookler.river.ack;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;

/**
 * Like {@link LedgerInterleavingTest}, in the order of two keys: besides, at no time are two
 * messages of a key out, or is a later one delivered before an earlier one is completed.
 */
@Tag("full")
class KeyInterleavingTest extends InterleavingContract {
  KeyInterleavingTest() {
    super(UnderLock.class, WithoutLock.class, 4);
  }

  /** As a subscriber uses it. */
  public static class UnderLock extends LedgerCalls {
    private boolean outOfOrder;

    /** With a real lock. */
    public UnderLock() {
      this(new ReentrantLock());
    }

    UnderLock(Lock lock) {
      super(lock, true);
    }

    private static long key(long sequence) {
      return 1 + sequence % 2;
    }

    @Override
    long deliver(AckLedger ledger, long next, long now) {
      return ledger.deliver(next, next, key(next), now);
    }

    @Override
    void see(AckLedger ledger, int sequence) {
      for (int earlier = sequence - 2; earlier >= 0; earlier -= 2) {
        outOfOrder |= !ledger.isCompleted(earlier);
      }
    }

    /** Throws if a key was delivered out of its order. */
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
}
