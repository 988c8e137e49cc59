package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;

/**
 * Handles one message after the other.
 *
 * <p>Called by one of the reactor's threads, or by several at once if it has several: then it must
 * be thread-safe. It says what becomes of the message by its result and need not acknowledge. What
 * it throws, an {@code Error} too, makes the message fail: it is delivered again by the
 * subscriber's retry policy, and never lost. A processor that is {@link AutoCloseable} is closed
 * with its reactor.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface Processor<M> {
  /**
   * Handles a message.
   *
   * @throws Exception the message could not be handled, by the fault of message or surroundings
   */
  ProcessResult<M> process(Delivery<M> delivery) throws Exception;
}
