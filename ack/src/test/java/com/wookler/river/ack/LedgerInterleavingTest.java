package com.wookler.river.ack;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;

/**
 * Consumers that take, acknowledge, give back, wait for a delay and seek at once, while deliveries
 * time out, in the order of sequences.
 */
@Tag("full")
class LedgerInterleavingTest extends InterleavingContract {
  LedgerInterleavingTest() {
    super(UnderLock.class, WithoutLock.class, 2);
  }

  /** As a subscriber uses it. */
  public static class UnderLock extends LedgerCalls {
    /** With a real lock. */
    public UnderLock() {
      this(new ReentrantLock());
    }

    UnderLock(Lock lock) {
      super(lock, false);
    }

    @Override
    long deliver(AckLedger ledger, long next, long now) {
      return ledger.deliver(next, next, now);
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
