package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;

/**
 * The reactor that a processor works for, as far as the processor needs it. Thread-safe.
 *
 * @param <M> type of the data
 */
public interface ReactorContext<M> {
  /** Whose messages it takes. */
  Subscriber<M> subscriber();

  /**
   * Decides over messages for which {@link ProcessResult#later} was answered, together: those that
   * are finished are acknowledged with one lock, and with one force where acknowledgements wait for
   * the device. A decision that comes too late changes nothing.
   *
   * @param results one for each, in the same order; {@link ProcessResult#pass} counts as finished
   */
  void decide(List<Delivery<M>> deliveries, List<ProcessResult<M>> results);

  /**
   * Does work over messages for which {@link ProcessResult#later} was answered, on the calling
   * thread, which the processor has started by itself. As on the reactor's own threads, it is
   * reported when it takes longer than the time limit, and the reactor's end waits for it and
   * interrupts it.
   *
   * @param batch one message or more
   * @return false: it was not done, for the reactor has ended
   */
  boolean run(List<Delivery<M>> batch, Runnable work);
}
