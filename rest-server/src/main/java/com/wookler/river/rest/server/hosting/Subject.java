package com.wookler.river.rest.server.hosting;

/**
 * What figures are about.
 *
 * @param queue its name
 * @param subscriber one of the queue's; empty if the figures are the queue's own
 */
record Subject(String queue, String subscriber) {
  /** Stands for those without series of their own; no queue and no subscriber can be called so. */
  static final String OTHERS = "(others)";

  static Subject of(String queue) {
    return new Subject(queue, "");
  }

  /** Those who share one series. */
  Subject others() {
    return new Subject(OTHERS, subscriber.isEmpty() ? "" : OTHERS);
  }

  boolean isOthers() {
    return queue.equals(OTHERS);
  }
}
