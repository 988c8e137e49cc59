package com.wookler.river.core.subscriber;

import java.time.Instant;
import java.util.Objects;

/** Where a subscriber starts in a queue, or moves to. */
public sealed interface Position {
  /** Returns the position of the oldest message in the log. */
  static Position earliest() {
    return Earliest.INSTANCE;
  }

  /** Returns the position after the newest message: only what is published from now on. */
  static Position latest() {
    return Latest.INSTANCE;
  }

  /**
   * Returns the position of this message, in the log or in a backup; of the oldest that is left if
   * it was removed, and the one after the newest if it is not published yet.
   *
   * @param sequence 0 or more
   */
  static Position sequence(long sequence) {
    return new At(sequence);
  }

  /**
   * Returns the position of the first message published at or after this time, in the log or in a
   * backup; the one after the newest if there is none.
   */
  static Position time(Instant time) {
    return new Since(time);
  }

  /** See {@link Position#earliest}. */
  enum Earliest implements Position {
    INSTANCE;

    @Override
    public String toString() {
      return "earliest";
    }
  }

  /** See {@link Position#latest}. */
  enum Latest implements Position {
    INSTANCE;

    @Override
    public String toString() {
      return "latest";
    }
  }

  /** See {@link Position#sequence}. */
  record At(long sequence) implements Position {
    public At {
      if (sequence < 0) {
        throw new IllegalArgumentException("sequence " + sequence + " is negative");
      }
    }
  }

  /** See {@link Position#time}. */
  record Since(Instant time) implements Position {
    public Since {
      Objects.requireNonNull(time, "time");
    }
  }
}
