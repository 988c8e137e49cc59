package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;

/**
 * Processes one message after the other.
 *
 * <p>The reactor's threads call it; it must be thread-safe if there are several. Its result says
 * what the reactor does with the message; it need not acknowledge. If it throws, also an {@code
 * Error}, the message fails: it is delivered again by the subscriber's retry policy, and never
 * lost. A processor that is {@link AutoCloseable} is closed with its reactor.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface Processor<M> {
  /**
   * Processes a message.
   *
   * @throws Exception the message could not be processed; it fails
   */
  ProcessResult<M> process(Delivery<M> delivery) throws Exception;
}
