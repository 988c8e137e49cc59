package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.StoredMessage;

/** Keeps a queue's expired messages; implemented by the queue. Thread-safe. */
public interface ExpiredMessages {
  /** They are just completed. */
  ExpiredMessages NOWHERE =
      new ExpiredMessages() {
        @Override
        public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
          return true;
        }

        @Override
        public void force(String subscriber) {}
      };

  /**
   * Keeps a message that has expired, safe from a kill when this returns. Called under a
   * subscriber's lock: it neither waits nor throws.
   *
   * @return false if it cannot be kept now; the subscriber then has to keep it unfinished
   */
  boolean keep(StoredMessage message, SubscriberConfig subscriber);

  /**
   * Brings to the device what was kept for a subscriber; precedes a force of its ledger, which
   * counts it as completed. On a thread that is never interrupted.
   *
   * @throws com.wookler.river.common.errors.RiverException it may not be on the device
   */
  void force(String subscriber);
}
