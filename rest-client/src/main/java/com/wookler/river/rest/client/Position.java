package com.wookler.river.rest.client;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A position in a queue to read from. Exactly one of the three components is not null.
 *
 * @param to {@code EARLIEST} or {@code LATEST}
 * @param sequence of a message
 * @param time selects the first message published at or after it
 */
public record Position(@Nullable String to, @Nullable Long sequence, @Nullable Instant time) {
  /** Checks that exactly one component is given. */
  public Position {
    if ((to != null ? 1 : 0) + (sequence != null ? 1 : 0) + (time != null ? 1 : 0) != 1) {
      throw new IllegalArgumentException("exactly one of to, sequence and time is needed");
    }
  }

  /** Returns the position of the oldest stored message. */
  public static Position earliest() {
    return new Position("EARLIEST", null, null);
  }

  /** Returns the position after the last stored message. */
  public static Position latest() {
    return new Position("LATEST", null, null);
  }

  /** Returns the position of a message. */
  public static Position sequence(long sequence) {
    return new Position(null, sequence, null);
  }

  /** Returns the position of the first message published at or after a time. */
  public static Position time(Instant time) {
    return new Position(null, null, Objects.requireNonNull(time, "time"));
  }
}
