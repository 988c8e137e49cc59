package com.wookler.river.core.subscriber;

/**
 * When the messages of a queue expire, and what becomes of them then.
 *
 * @param maxAgeMicros so long after its publish time every message expires; {@link Long#MAX_VALUE}:
 *     none does by its age
 * @param sweep how many a step of housekeeping finishes at most, for one subscriber
 * @param store where expired messages go
 */
public record Expiries(long maxAgeMicros, int sweep, ExpiredMessages store) {
  /** Only messages expire that say so themselves, and they go nowhere. */
  public static final Expiries NONE = new Expiries(Long.MAX_VALUE, 1, ExpiredMessages.NOWHERE);
}
