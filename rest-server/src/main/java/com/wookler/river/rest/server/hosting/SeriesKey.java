package com.wookler.river.rest.server.hosting;

/**
 * The labels of a series of metrics.
 *
 * @param queue name of the queue
 * @param subscriber name of the subscriber; empty for a series of the queue itself
 */
record SeriesKey(String queue, String subscriber) {
  /**
   * The name of the common series of those without their own; no queue and no subscriber can have
   * it.
   */
  static final String OTHERS = "(others)";

  static SeriesKey of(String queue) {
    return new SeriesKey(queue, "");
  }

  /** Returns the key of the common series. */
  SeriesKey others() {
    return new SeriesKey(OTHERS, subscriber.isEmpty() ? "" : OTHERS);
  }

  boolean isOthers() {
    return queue.equals(OTHERS);
  }
}
