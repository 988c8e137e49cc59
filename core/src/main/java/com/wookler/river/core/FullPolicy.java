package com.wookler.river.core;

/**
 * What a queue does with a publish for which its limits leave no room.
 *
 * <p>A queue is full when the messages that its slowest subscriber has not completed, or without
 * subscribers all messages in its log, together with those to be published, are more than {@code
 * queue.max.messages} or {@code queue.max.bytes}. A full disk is not a matter of this policy: it
 * always refuses.
 */
public enum FullPolicy {
  /**
   * Refuses at once, with {@link com.wookler.river.core.message.QueueFullException}; the default.
   */
  REJECT,

  /**
   * Waits until there is room, and refuses after the timeout. An interrupt ends the wait too, with
   * {@link com.wookler.river.core.message.QueueFullException} and the thread's flag set.
   */
  BLOCK,

  /**
   * Publishes, and the oldest messages that this is too many for are completed for every subscriber
   * that still needs them, also those that are out: what their holder then decides is stale. Each
   * is counted, once a subscriber.
   */
  DISCARD_OLDEST
}
