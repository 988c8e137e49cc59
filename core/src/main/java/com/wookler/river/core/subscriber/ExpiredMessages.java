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
   * Keeps an expired message, safe from a kill when this returns. Returns false if it cannot now;
   * the subscriber then keeps it unfinished. Called under a subscriber's lock: neither waits nor
   * throws.
   */
  boolean keep(StoredMessage message, SubscriberConfig subscriber);

  /**
   * Forces what was kept for a subscriber, before a force of its ledger, which counts that as
   * completed; on a thread that is never interrupted. Throws if the device may not have it.
   */
  void force(String subscriber);
}
