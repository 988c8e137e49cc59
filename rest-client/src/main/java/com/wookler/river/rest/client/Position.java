package com.wookler.river.rest.client;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where to read from; exactly one of the three is there.
 *
 * @param to {@code EARLIEST} or {@code LATEST}
 * @param sequence a message
 * @param time the first message published at or after it
 */
public record Position(@Nullable String to, @Nullable Long sequence, @Nullable Instant time) {
  /** Checks that it is one. */
  public Position {
    if ((to != null ? 1 : 0) + (sequence != null ? 1 : 0) + (time != null ? 1 : 0) != 1) {
      throw new IllegalArgumentException("exactly one of to, sequence and time is needed");
    }
  }

  /** The oldest message that is there. */
  public static Position earliest() {
    return new Position("EARLIEST", null, null);
  }

  /** Behind all that is there. */
  public static Position latest() {
    return new Position("LATEST", null, null);
  }

  /** This message. */
  public static Position sequence(long sequence) {
    return new Position(null, sequence, null);
  }

  /** The first message published at or after a time. */
  public static Position time(Instant time) {
    return new Position(null, null, Objects.requireNonNull(time, "time"));
  }
}
