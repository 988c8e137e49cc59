package com.wookler.river.ack;

import java.util.List;

/**
 * Reports what was on disk when a ledger was opened.
 *
 * @param created true if there was nothing: a new subscriber
 * @param lowWatermark the lowest unfinished sequence
 * @param deliveredEnd the next sequence that had never been delivered; the highest one wins where
 *     two sources differ
 * @param completedEnd the sequence after the highest completed one, at least {@code lowWatermark}.
 *     The log must never give a sequence below it to a new message
 * @param generation the generation of acknowledgement files that this opening began; 0 for a
 *     subscriber without acknowledgement
 * @param snapshot the generation of the snapshot that recovery started from; 0 if there was none
 * @param logs how many logs were replayed after it
 * @param records how many records they held
 * @param delayed messages that were delayed, perhaps until a time that has passed
 * @param torn unfinished tails that were cut: usual after a kill, no damage
 * @param damaged one line for each damaged file, naming it and what was done; empty in health
 */
public record RecoveryReport(
    boolean created,
    long lowWatermark,
    long deliveredEnd,
    long completedEnd,
    long generation,
    long snapshot,
    int logs,
    long records,
    int delayed,
    int torn,
    List<String> damaged) {

  public RecoveryReport {
    damaged = List.copyOf(damaged);
  }

  /** Returns the lowest sequence for a new message: above all that was completed or delivered. */
  public long nextFree() {
    return Math.max(deliveredEnd, Math.max(lowWatermark, completedEnd));
  }
}
