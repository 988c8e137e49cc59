package com.wookler.river.core.subscriber;

import com.wookler.river.core.subscriber.Receipts.Receipt;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what was decided by receipt, so that a decision whose answer was lost can be sent
 * again: the ledger forgets what lies below its floor. The last decision of each of the last
 * sequences, by their low bits. Guarded by the subscriber's lock.
 */
final class ReceiptMemory {
  private static final int MIN = 1 << 10;
  private static final int MAX = 1 << 16;

  private final int size;
  private long @Nullable [] sequences;
  private long[] tickets = {};
  private Verdict[] verdicts = {};

  /** For so many messages that are out at once. */
  ReceiptMemory(int inFlight) {
    size = Math.max(MIN, Math.min(MAX, Integer.highestOneBit(inFlight) * 2));
  }

  Claim claim(Receipt receipt) {
    return new Remembered(receipt);
  }

  private final class Remembered implements Claim {
    private final Receipt receipt;

    Remembered(Receipt receipt) {
      this.receipt = receipt;
    }

    private int at() {
      return (int) receipt.sequence() & (size - 1);
    }

    @Override
    public long place() {
      return receipt.sequence();
    }

    @Override
    public long ticket() {
      return receipt.ticket();
    }

    @Override
    public int handedOverSecond() {
      return receipt.second();
    }

    @Override
    public Verdict verdict() {
      long[] known = sequences;
      int at = at();
      return known != null && known[at] == receipt.sequence() && tickets[at] == receipt.ticket()
          ? verdicts[at]
          : Verdict.NONE;
    }

    @Override
    public void verdict(Verdict decided) {
      long[] known = sequences;
      if (known == null) {
        known = new long[size];
        Arrays.fill(known, -1);
        tickets = new long[size];
        verdicts = new Verdict[size];
        Arrays.fill(verdicts, Verdict.NONE);
        sequences = known;
      }
      known[at()] = receipt.sequence();
      tickets[at()] = receipt.ticket();
      verdicts[at()] = decided;
    }
  }
}
