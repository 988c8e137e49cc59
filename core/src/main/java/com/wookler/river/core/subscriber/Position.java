package com.wookler.river.core.subscriber;

import java.time.Instant;
import java.util.Objects;

/** A place in a queue, for a subscriber to start at or to move to. */
public sealed interface Position {
  /** Returns the oldest message in the log. */
  static Position earliest() {
    return Earliest.INSTANCE;
  }

  /** Behind the newest message: only what is published from now on. */
  static Position latest() {
    return Latest.INSTANCE;
  }

  /**
   * This message, in the log or in a backup; the oldest that is left if it is gone, and behind the
   * newest if it is not published yet.
   *
   * @param sequence 0 or more
   */
  static Position sequence(long sequence) {
    return new At(sequence);
  }

  /** Returns the first message published at or after this time, in the log or in a backup. */
  static Position time(Instant time) {
    return new Since(time);
  }

  /** See {@link Position#earliest}. */
  enum Earliest implements Position {
    /** The only one. */
    INSTANCE;

    @Override
    public String toString() {
      return "earliest";
    }
  }

  /** See {@link Position#latest}. */
  enum Latest implements Position {
    /** The only one. */
    INSTANCE;

    @Override
    public String toString() {
      return "latest";
    }
  }

  /** See {@link Position#sequence}. */
  record At(long sequence) implements Position {
    /** Checks that the sequence is not negative. */
    public At {
      if (sequence < 0) {
        throw new IllegalArgumentException("sequence " + sequence + " is negative");
      }
    }
  }

  /** See {@link Position#time}. */
  record Since(Instant time) implements Position {
    /** Checks that there is a time. */
    public Since {
      Objects.requireNonNull(time, "time");
    }
  }
}
