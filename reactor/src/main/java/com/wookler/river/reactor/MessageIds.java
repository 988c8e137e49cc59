package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;

/** What tells the messages of one queue apart that a processor is given. */
public final class MessageIds {
  private MessageIds() {}

  /**
   * The same at each attempt, and unlike that of any other message of the queue: the sequence, and
   * for what was passed on in the place of a message, behind a dot, the how manieth it was: {@code
   * 12}, {@code 12.0}, {@code 12.1}, {@code 12.1.0}. As long as the processor before it passes on
   * the same messages at each attempt.
   */
  public static String of(Delivery<?> delivery) {
    return delivery instanceof Passed<?> passed
        ? of(passed.source()) + "." + passed.index()
        : Long.toString(delivery.sequence());
  }
}
