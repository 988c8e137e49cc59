package com.wookler.river.reactor;

/**
 * Lets a {@link Processor} or {@link BatchProcessor} know its reactor.
 *
 * @param <M> type of the data
 */
public interface ReactorAware<M> {
  /**
   * Starts the processor in a reactor. Called once, before the first message, on the thread that
   * starts the reactor.
   *
   * @throws RuntimeException the processor cannot work there; the reactor does not start
   */
  void startIn(ReactorContext<M> reactor);
}
