package com.wookler.river.crash;

import com.wookler.river.common.utils.Amount;
import java.util.Locale;

/**
 * What rounds came to.
 *
 * @param promised messages whose publish returned
 * @param lost of those the ones that a power loss took, all within what is allowed
 * @param lostNanos how long before the end the earliest of those had returned
 * @param tornBatches batches whose publish had not returned, and of which a power loss left a part
 * @param acked acknowledgements that returned
 * @param redelivered deliveries with an attempt above 1
 * @param forgotten acknowledged before a power loss, and delivered again within what is allowed
 * @param forgottenNanos how long before the end the earliest of those had returned
 * @param inHand delivered without acknowledgement, and not noted before the end
 * @param stale receipts that were refused
 */
record Summary(
    long promised,
    long lost,
    long lostNanos,
    long tornBatches,
    long acked,
    long redelivered,
    long forgotten,
    long forgottenNanos,
    long inHand,
    long stale) {
  static final Summary NONE = new Summary(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  Summary plus(Summary other) {
    return new Summary(
        promised + other.promised,
        lost + other.lost,
        Math.max(lostNanos, other.lostNanos),
        tornBatches + other.tornBatches,
        acked + other.acked,
        redelivered + other.redelivered,
        forgotten + other.forgotten,
        Math.max(forgottenNanos, other.forgottenNanos),
        inHand + other.inHand,
        stale + other.stale);
  }

  @Override
  public String toString() {
    String text =
        String.format(
            Locale.ROOT,
            "%s promised, %,d acknowledged, %,d delivered again, %,d in hand without"
                + " acknowledgement, %s refused",
            Amount.grouped(promised, "message"),
            acked,
            redelivered,
            inHand,
            Amount.grouped(stale, "receipt"));
    return lost + forgotten == 0
        ? text
        : text
            + String.format(
                Locale.ROOT,
                "; not yet forced and lost: %s, the earliest %,d ms before the end, and"
                    + " %s, the earliest %,d ms; batches in part: %,d",
                Amount.grouped(lost, "message"),
                lostNanos / 1_000_000,
                Amount.grouped(forgotten, "acknowledgement"),
                forgottenNanos / 1_000_000,
                tornBatches);
  }
}
