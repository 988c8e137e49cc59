package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.Terms;
import org.jspecify.annotations.Nullable;

/**
 * When the messages of a queue expire, and what becomes of them then.
 *
 * @param maxAgeMicros so long after its publish time every message expires; {@link Long#MAX_VALUE}:
 *     none does by its age
 * @param sweep how many a step of housekeeping completes at most, for one subscriber
 * @param store where expired messages go
 */
public record Expiries(long maxAgeMicros, int sweep, ExpiredMessages store) {
  /** Only messages expire that say so themselves, and they go nowhere. */
  public static final Expiries NONE = new Expiries(Long.MAX_VALUE, 1, ExpiredMessages.NOWHERE);

  /** Returns when a message expires, by the wall clock; {@link Long#MAX_VALUE}: never. */
  public long expiresAt(StoredTimes times, long publishedMicros, @Nullable Terms terms) {
    long published = times.wallOf(Terms.publishedMicros(terms, publishedMicros));
    long byAge =
        maxAgeMicros > Long.MAX_VALUE - published ? Long.MAX_VALUE : published + maxAgeMicros;
    return terms == null ? byAge : Math.min(byAge, terms.expiresAt(published));
  }

  /** Returns whether a message has expired; asks the clock only if it can expire. */
  public boolean isOver(
      StoredTimes times, TimeSource time, long publishedMicros, @Nullable Terms terms) {
    if (terms == null && maxAgeMicros == Long.MAX_VALUE) {
      return false;
    }
    long at = expiresAt(times, publishedMicros, terms);
    return at != Long.MAX_VALUE && time.epochMicros() >= at;
  }
}
