package com.wookler.river.ack;

/**
 * The state of one entry of a {@link Ring}. Its code is what the entry stores.
 *
 * <pre>
 * UNSEEN → IN_FLIGHT → READY → IN_FLIGHT …
 *    |         |    ↘   ↑↓
 *    |         |   DELAYED
 *    ↘         ↘  from each ↘
 *                COMPLETED, which is left only when the low watermark passes the entry
 *
 * UNSEEN, IN_FLIGHT → EXHAUSTED → DEAD_LETTERING → COMPLETED     the delivery limit is reached
 * UNSEEN → WAITING → READY, EXHAUSTED              an earlier message of the key is unfinished
 * UNSEEN → DELAYED                                 postponed since an earlier run
 * IN_FLIGHT, READY, DELAYED → DEAD_LETTERING       rejected
 * </pre>
 */
public enum EntryState {
  UNSEEN(0), // not delivered in this run
  IN_FLIGHT(1), // delivered, and its deadline has not passed
  READY(2), // timed out or released: to be delivered again
  DELAYED(3), // to be delivered again later
  COMPLETED(4), // acknowledged, dead-lettered, skipped or expired
  EXHAUSTED(5), // the delivery limit is reached; its dead letter is to be written
  DEAD_LETTERING(6), // its dead letter is being written
  WAITING(7); // read, but an earlier message of its key is unfinished

  private static final EntryState[] ALL = values();

  // for each state, by its code, the states that may follow it
  private static final int[] NEXT = {
    bits(IN_FLIGHT, DELAYED, COMPLETED, EXHAUSTED, WAITING),
    bits(READY, DELAYED, COMPLETED, EXHAUSTED, DEAD_LETTERING),
    bits(IN_FLIGHT, DELAYED, COMPLETED, DEAD_LETTERING),
    bits(READY, IN_FLIGHT, COMPLETED, DEAD_LETTERING),
    bits(),
    bits(DEAD_LETTERING, COMPLETED),
    bits(EXHAUSTED, IN_FLIGHT, COMPLETED),
    bits(READY, EXHAUSTED)
  };

  static final int COUNT = ALL.length; // the number of states

  private final int code;

  EntryState(int code) {
    this.code = code;
  }

  static EntryState of(int code) {
    return ALL[code];
  }

  int code() {
    return code;
  }

  /** Returns whether an entry may go from the state of one code to that of another. */
  static boolean mayFollow(int from, int to) {
    return (NEXT[from] & (1 << to)) != 0;
  }

  private static int bits(EntryState... states) {
    int bits = 0;
    for (EntryState state : states) {
      bits |= 1 << state.code;
    }
    return bits;
  }
}
