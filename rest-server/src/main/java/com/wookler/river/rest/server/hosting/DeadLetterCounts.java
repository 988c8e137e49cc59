package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the dead letters that wait now. The file system is read when a subscriber is counted for
 * the first time, and again only after it has got a letter; while letters wait, their queue is
 * open, and their number is in memory. Thread-safe.
 */
public final class DeadLetterCounts {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterCounts.class);

  private final Map<SeriesKey, Count> counts = new ConcurrentHashMap<>();

  /**
   * What was counted last.
   *
   * @param subscriber of which; a reopened one is another
   * @param dead how many messages had become dead letters before that, since it was opened
   */
  private record Count(Subscriber<?> subscriber, long dead, long waiting) {
    boolean holds(Subscriber<?> now, SubscriberStats stats) {
      return subscriber == now && dead == stats.dead() && waiting == 0;
    }
  }

  /**
   * Returns how many dead letters of a subscriber wait; if they cannot be counted, how many it were
   * last.
   *
   * @param stats of the subscriber, read before: a letter is there before it is counted in them
   */
  public long waiting(SeriesKey key, Subscriber<?> subscriber, SubscriberStats stats) {
    Count last = counts.get(key);
    if (last != null && last.holds(subscriber, stats)) {
      return 0;
    }
    try {
      long waiting = subscriber.deadLetters().size();
      counts.put(key, new Count(subscriber, stats.dead(), waiting));
      return waiting;
    } catch (RiverException e) { // closed meanwhile, or damaged
      LOG.debug("Cannot count the dead letters of {}", key, e);
      return last == null ? 0 : last.waiting();
    }
  }

  /** Removes what was counted of subscribers that do not exist any more. */
  void retain(Set<SeriesKey> existing) {
    counts.keySet().retainAll(existing);
  }
}
