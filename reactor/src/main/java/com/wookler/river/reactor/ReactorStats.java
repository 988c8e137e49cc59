package com.wookler.river.reactor;

/**
 * What a reactor has done since it was started.
 *
 * @param finished messages acknowledged
 * @param retried given back by a processor's result
 * @param rejected given up by a processor's result
 * @param released given back as if they had not been delivered
 * @param failed over which a processor threw
 * @param late decided after the acknowledgement timeout or the subscriber's end: they come again
 * @param filtered finished because a filter refused them
 * @param unmatched finished because a selector had no route for them
 * @param replaced threads that ended by an {@code Error} and were replaced
 * @param stuck calls of processors that took longer than the time limit
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

  static ReactorStats of(Tally tally) {
    return new ReactorStats(
        tally.finished.sum(),
        tally.retried.sum(),
        tally.rejected.sum(),
        tally.released.sum(),
        tally.failed.sum(),
        tally.late.sum(),
        tally.filtered.sum(),
        tally.unmatched.sum(),
        tally.replaced.sum(),
        tally.stuck.sum());
  }
}
