package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * What one thread has taken from a source, or several together.
 *
 * @param lag what waits; empty if the source does not tell
 */
record SourceStats(
    long delivered, long redelivered, long acked, long dead, int inFlight, OptionalLong lag) {
  static final SourceStats NONE = new SourceStats(0, 0, 0, 0, 0, OptionalLong.empty());

  /** Returns the same with a batch more, which is in flight. */
  SourceStats delivered(Collection<? extends Delivery<?>> batch) {
    long again = batch.stream().filter(each -> each.attempt() > 1).count();
    return new SourceStats(
        delivered + batch.size(), redelivered + again, acked, dead, batch.size(), lag);
  }

  /** Returns the same with answers more, after which nothing is in flight. */
  SourceStats settled(List<Settlement> answers) {
    long more = answers.stream().filter(Settlement.Ack.class::isInstance).count();
    return new SourceStats(delivered, redelivered, acked + more, dead, 0, lag);
  }

  /** Returns the same with what only a consumer knows. */
  SourceStats with(long deadLetters, OptionalLong waiting) {
    return new SourceStats(delivered, redelivered, acked, deadLetters, inFlight, waiting);
  }

  /** Returns what all have together; the lag if each tells it. */
  static SourceStats sum(List<SourceStats> all) {
    boolean known = !all.isEmpty() && all.stream().allMatch(each -> each.lag.isPresent());
    return all.stream()
        .reduce(
            NONE,
            (one, other) ->
                new SourceStats(
                    one.delivered + other.delivered,
                    one.redelivered + other.redelivered,
                    one.acked + other.acked,
                    one.dead + other.dead,
                    one.inFlight + other.inFlight,
                    known
                        ? OptionalLong.of(one.lag.orElse(0) + other.lag.orElse(0))
                        : OptionalLong.empty()));
  }

  /** Returns them in the form of a subscriber's. */
  SubscriberStats ofSubscriber(boolean paused) {
    return new SubscriberStats(
        lag.orElse(SubscriberStats.UNKNOWN),
        inFlight,
        0,
        Duration.ZERO,
        0,
        inFlight,
        0,
        delivered,
        acked,
        redelivered,
        dead,
        0,
        0,
        0,
        0,
        0,
        paused);
  }
}
