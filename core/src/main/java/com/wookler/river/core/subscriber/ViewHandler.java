package com.wookler.river.core.subscriber;

/**
 * Processes messages that {@link Subscriber#consume} shows it, on the consuming thread and without
 * a lock.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface ViewHandler<M> {
  /**
   * Processes a message. Without acknowledgement the answer has no effect.
   *
   * @param message valid until this returns
   * @return {@link Settlement#ack} and the others as their verbs say, or {@link Settlement#keep} to
   *     acknowledge it later; not null
   */
  Settlement handle(MessageView<M> message);
}
