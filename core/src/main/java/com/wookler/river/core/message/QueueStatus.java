package com.wookler.river.core.message;

/**
 * What a queue does now, as its operator has set it: each one refuses what the one before it does,
 * and more. Looking (stats, {@code read}, {@code peek}), housekeeping (expiry, timeouts, archiving)
 * and {@code seek}, {@code purge}, {@code trim}, {@code cancel}, {@code delete} work in all of
 * them.
 */
public enum QueueStatus {
  /** Accepts and delivers messages. */
  UP(0),
  /** Refuses publishes; delivers what it holds. */
  READ_ONLY(1),
  /** Neither accepts nor delivers; what is in flight can be acknowledged. */
  QUIESCENT(2),
  /** Refuses acknowledgements, too: what is in flight stays so, or comes again later. */
  DOWN(3);

  private final int number;

  QueueStatus(int number) {
    this.number = number;
  }

  /** Returns its number in metrics, which is greater the more it refuses. */
  public int number() {
    return number;
  }

  /** Returns whether publishes are accepted. */
  public boolean accepts() {
    return this == UP;
  }

  /** Returns whether messages are delivered, and forwarded to other queues. */
  public boolean delivers() {
    return this == UP || this == READ_ONLY;
  }

  /** Returns whether acknowledgements are accepted. */
  public boolean acknowledges() {
    return this != DOWN;
  }
}
