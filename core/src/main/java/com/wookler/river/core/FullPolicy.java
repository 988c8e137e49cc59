package com.wookler.river.core;

/**
 * What a queue does with a publish for which its limits leave no capacity.
 *
 * <p>A queue is full when the messages that its slowest subscriber has not completed, or without
 * subscribers all messages in its log, together with those to be published, are more than {@code
 * queue.max.messages} or {@code queue.max.bytes}. A full disk always refuses, whatever the policy.
 */
public enum FullPolicy {
  /** Refuses at once, with a {@code QueueFullException}; the default. */
  REJECT,
  /**
   * Waits until there is capacity, and refuses after the timeout, or when the thread is
   * interrupted, with a {@code QueueFullException}; an interrupt leaves the thread's flag set.
   */
  BLOCK,
  /**
   * Publishes, and completes the oldest messages that this is too many for, for every subscriber
   * that still needs them, also those in flight, whose acknowledgement is then stale. Each is
   * counted, once a subscriber.
   */
  DISCARD_OLDEST
}
