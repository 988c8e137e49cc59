package com.wookler.river.core;

import com.wookler.river.core.log.Capacity;
import java.time.Duration;

/**
 * How much a queue may hold, and what becomes of a publish beyond that.
 *
 * @param maxMessages that a subscriber has not finished; {@link Long#MAX_VALUE}: any number
 * @param maxBytes of such messages with their envelopes; {@link Long#MAX_VALUE}: any number
 * @param policy of a queue that is full
 * @param timeout of {@link FullPolicy#BLOCK}
 */
record LimitConfig(long maxMessages, long maxBytes, FullPolicy policy, Duration timeout) {

  /** Refuses what is out of its range. */
  void check(String queue) {
    QueueConfig.check(
        queue, maxMessages >= 1, "queue.max.messages is " + maxMessages + "; it must be 1 or more");
    QueueConfig.check(
        queue, maxBytes >= 1, "queue.max.bytes is " + maxBytes + "; it must be 1 or more");
    QueueConfig.check(
        queue,
        !timeout.isNegative(),
        "queue.full.timeout is " + timeout + "; it must not be negative");
  }

  Capacity capacity() {
    return new Capacity(maxMessages, maxBytes, policy == FullPolicy.DISCARD_OLDEST);
  }

  boolean isLimited() {
    return maxMessages != Long.MAX_VALUE || maxBytes != Long.MAX_VALUE;
  }

  /** As error texts name it. */
  String text() {
    String messages = maxMessages == Long.MAX_VALUE ? "" : "queue.max.messages=" + maxMessages;
    String bytes = maxBytes == Long.MAX_VALUE ? "" : "queue.max.bytes=" + maxBytes;
    return messages + (messages.isEmpty() || bytes.isEmpty() ? "" : ", ") + bytes;
  }
}
