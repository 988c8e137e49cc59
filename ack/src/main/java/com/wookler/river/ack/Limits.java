package com.wookler.river.ack;

import com.wookler.river.common.errors.ConfigurationException;

/**
 * The bounds of a subscriber that acknowledges.
 *
 * @param ackTimeoutMillis milliseconds after which an unfinished delivery is delivered again; at
 *     least 1
 * @param maxInFlight how many messages may be in flight at once; 1 to {@link #MAX_WINDOW}
 * @param window how many sequences, from the lowest unfinished one on, are kept in memory at most;
 *     1 to {@link #MAX_WINDOW}
 * @param retries how often a message is delivered
 * @param byKey whether messages of one key are delivered one after the other; fixed when the ledger
 *     is made
 */
public record Limits(
    long ackTimeoutMillis, int maxInFlight, int window, Retries retries, boolean byKey) {
  /** The largest window and the largest in-flight limit. */
  public static final int MAX_WINDOW = 1 << 20;

  /** The longest exact timeout or delay, about 35,000 years; longer ones are cut to it. */
  public static final long MAX_DELAY_MILLIS = 1L << 50;

  public static final int DEFAULT_MAX_IN_FLIGHT = 10_000;
  public static final int DEFAULT_WINDOW = 262_144;

  public Limits {
    if (ackTimeoutMillis < 1) {
      throw new ConfigurationException(
          "ack timeout is " + ackTimeoutMillis + " ms; it must be at least 1 ms");
    }
    requireWithin("in-flight limit", maxInFlight);
    requireWithin("window", window);
  }

  /** Without a limit on deliveries, and in the order of sequences. */
  public Limits(long ackTimeoutMillis, int maxInFlight, int window) {
    this(ackTimeoutMillis, maxInFlight, window, Retries.ENDLESS, false);
  }

  private static void requireWithin(String what, int value) {
    if (value < 1 || value > MAX_WINDOW) {
      throw new ConfigurationException(what + " is " + value + "; it must be 1 to " + MAX_WINDOW);
    }
  }
}
