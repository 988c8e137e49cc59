package com.wookler.river.core.log;

/**
 * What a log may hold of messages that are still needed.
 *
 * @param messages the most messages; {@link Long#MAX_VALUE}: any number
 * @param bytes the most bytes, envelopes included; {@link Long#MAX_VALUE}: any number
 * @param discards whether the oldest messages give way to new ones, or new ones are refused
 */
public record CapacityLimits(long messages, long bytes, boolean discards) {
  /** No limit at all. */
  public static final CapacityLimits UNLIMITED =
      new CapacityLimits(Long.MAX_VALUE, Long.MAX_VALUE, false);

  boolean isUnlimited() {
    return messages == Long.MAX_VALUE && bytes == Long.MAX_VALUE;
  }
}
