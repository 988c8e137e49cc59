package com.wookler.river.ack;

/**
 * Decides how often a message is delivered, and how long it waits in between. Called under the
 * subscriber's lock: immutable, fast, and without a lock of its own.
 */
public interface Retries {
  /** The highest limit: attempts above it are not distinguished. */
  int MOST_DELIVERIES = 100_000;

  /** Without limit and without a wait. */
  Retries ENDLESS =
      new Retries() {
        @Override
        public int maxDeliveries() {
          return 0;
        }

        @Override
        public long delayMillis(long sequence, int attempt) {
          return 0;
        }
      };

  /** Returns after how many deliveries a message is exhausted; 0: never. */
  int maxDeliveries();

  /** Returns the wait after an attempt (1 or more) in milliseconds, if its holder gave none. */
  long delayMillis(long sequence, int attempt);
}
