package com.wookler.river.rest.server.hosting;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the number of series: the first queues or subscribers have their own, all others share
 * one, so that clients that create queues cannot exhaust the memory of the monitoring system.
 * Thread-safe.
 */
public final class SeriesLimiter {
  private final int maxSeries;
  private final Set<SeriesKey> known = ConcurrentHashMap.newKeySet();

  public SeriesLimiter(int maxSeries) {
    this.maxSeries = maxSeries;
  }

  /** Returns the series to which the metrics of a queue or subscriber belong. */
  SeriesKey seriesFor(SeriesKey key) {
    return known.contains(key) || admit(key) ? key : key.others();
  }

  private boolean admit(SeriesKey key) {
    if (known.size() >= maxSeries) {
      return false; // without the lock, once the limit is reached
    }
    synchronized (this) {
      return known.size() < maxSeries && known.add(key);
    }
  }

  /** Removes all series except those of existing queues and subscribers. */
  void retain(Set<SeriesKey> existing) {
    known.retainAll(existing);
  }
}
