package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.StoredMessage;

/** Where a queue's expired messages go; implemented by the queue. Thread-safe. */
@FunctionalInterface
public interface ExpiredMessages {
  /**
   * Keeps a message that has expired, safe from a kill when this returns. Called under a
   * subscriber's lock: it neither waits nor throws.
   *
   * @return false if it cannot be kept now; the subscriber then has to keep it unfinished
   */
  boolean keep(StoredMessage message, SubscriberConfig subscriber);
}
