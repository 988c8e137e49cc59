package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;

/** Identifies the messages that a processor gets, among all messages of the queue. */
public final class MessageIds {
  private MessageIds() {}

  /**
   * Returns an id that is the same at each attempt, and differs from that of any other message of
   * the queue. It is the sequence; for a message that replaces another one, a dot and its index
   * follow: {@code 12}, {@code 12.0}, {@code 12.1}, {@code 12.1.0}. The processor that replaces a
   * message must pass on the same messages at each attempt.
   */
  public static String of(Delivery<?> delivery) {
    return delivery instanceof ReplacementDelivery<?> replacement
        ? of(replacement.source()) + "." + replacement.index()
        : Long.toString(delivery.sequence());
  }
}
