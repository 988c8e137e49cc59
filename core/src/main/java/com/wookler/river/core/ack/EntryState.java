package com.wookler.river.core.ack;

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
  /** Not delivered in this run. */
  UNSEEN(0),

  /** Delivered, and its deadline has not passed. */
  IN_FLIGHT(1),

  /** Timed out or released: to be delivered again. */
  READY(2),

  /** To be delivered again later. */
  DELAYED(3),

  /** Acknowledged, dead-lettered, skipped or expired. */
  COMPLETED(4),

  /** The delivery limit is reached; its dead letter is to be written. */
  EXHAUSTED(5),

  /** Its dead letter is being written. */
  DEAD_LETTERING(6),

  /** Read, but an earlier message of its key is unfinished. */
  WAITING(7);

  private static final EntryState[] ALL = values();

  /** For each state, by its code, the states that may follow it. */
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

  /** The number of states. */
  static final int COUNT = ALL.length;

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
