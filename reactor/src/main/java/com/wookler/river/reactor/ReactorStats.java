package com.wookler.river.reactor;

/**
 * Totals of a reactor since it was started.
 *
 * @param finished messages acknowledged; of a {@link DeliverySource}, as far as the reactor knows:
 *     its engine gets the acknowledgement later
 * @param retried messages to be delivered again by a processor's result
 * @param rejected messages that a processor's result made dead letters
 * @param released messages released as if they had not been delivered
 * @param failed messages for which a processor threw
 * @param late messages whose result came after the acknowledgement timeout or the subscriber's end:
 *     they are delivered again
 * @param filtered messages acknowledged because a filter refused them
 * @param unmatched messages acknowledged because a selector had no route for them
 * @param replaced threads that ended by an {@code Error} and were replaced
 * @param stuck batches, and messages of asynchronous processors, that took longer than the time
 *     limit
 */
public record ReactorStats(
    long finished,
    long retried,
    long rejected,
    long released,
    long failed,
    long late,
    long filtered,
    long unmatched,
    long replaced,
    long stuck) {

  static ReactorStats of(ReactorCounters counters) {
    return new ReactorStats(
        counters.finished.sum(),
        counters.retried.sum(),
        counters.rejected.sum(),
        counters.released.sum(),
        counters.failed.sum(),
        counters.late.sum(),
        counters.filtered.sum(),
        counters.unmatched.sum(),
        counters.replaced.sum(),
        counters.stuck.sum());
  }
}
