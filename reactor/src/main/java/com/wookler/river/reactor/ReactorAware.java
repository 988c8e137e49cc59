package com.wookler.river.reactor;

/**
 * A {@link Processor} or {@link BatchProcessor} that wants to know for whom it works.
 *
 * @param <M> type of the data
 */
public interface ReactorAware<M> {
  /**
   * Called once, before the first message, on the thread that starts the reactor.
   *
   * @throws RuntimeException it cannot work there; the reactor does not start
   */
  void startIn(ReactorContext<M> reactor);
}
