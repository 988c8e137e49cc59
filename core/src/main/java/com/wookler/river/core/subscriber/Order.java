package com.wookler.river.core.subscriber;

/**
 * The order in which a subscriber's messages are delivered. {@link #KEY} is fixed when it is
 * created; the others may take each other's place when it is opened again.
 */
public enum Order {
  /** In the order of their sequences; what is delivered again comes first. */
  SEQUENCE,

  /**
   * At most one message of a key at a time: while one is in flight, waits to be delivered again, or
   * for its dead letter, the later ones of its key wait, also beyond a restart, and come in the
   * order of their sequences. When it is acknowledged, dead, expired or refused by the filter, the
   * next one comes. Other keys continue, and messages without a key never wait. A delayed message
   * takes its turn when it is due.
   *
   * <p>All consumers of the subscriber share this: of one key, one message is at one of them. A
   * batch has at most one message of a key. Needs {@link SubscriberConfig#ackRequired}: without, a
   * message is completed when it is delivered, and nothing could wait for it.
   *
   * <p>Messages that wait count for the {@link SubscriberConfig#window}: when it is full, nothing
   * new is read, of other keys neither, until the lowest of them is completed. Keys are
   * distinguished by 64-bit hashes; two that share one wait for each other.
   */
  KEY,

  /**
   * One message at a time: nothing is delivered until the message before it is acknowledged, dead,
   * expired or refused by the filter, also while that waits for a retry, and beyond a restart. So
   * no message overtakes one that failed, whatever its key; without a limit of deliveries one that
   * fails each time stops the subscriber. A batch has one message. Needs {@link
   * SubscriberConfig#ackRequired}. {@link SubscriberConfig#maxInFlight} and the window have no
   * effect.
   */
  STRICT
}
