package com.wookler.river.core.subscriber;

/**
 * Processes messages that {@link Subscriber#consume} shows it, on the consuming thread and without
 * a lock.
 */
@FunctionalInterface
public interface ViewHandler {
  /**
   * Processes a message.
   *
   * @param message valid until this returns
   * @return not null
   * @throws Exception the message counts as failed; {@link Subscriber#consume} says what follows
   */
  Action on(MessageView message) throws Exception;
}
