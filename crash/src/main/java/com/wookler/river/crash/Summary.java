package com.wookler.river.crash;

import java.util.Locale;

/**
 * What rounds came to.
 *
 * @param promised messages whose publish returned
 * @param lost of those the ones that a power loss took, all within what is allowed
 * @param lostNanos how long before the end the earliest of those had returned
 * @param tornBatches batches that nobody was promised, and of which a power loss left a part
 * @param acked acknowledgements that returned
 * @param redelivered deliveries with an attempt above 1
 * @param forgotten acknowledged before a power loss, and delivered again within what is allowed
 * @param forgottenNanos how long before the end the earliest of those had returned
 * @param inHand handed over without acknowledgement, and not noted before the end
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
            "%,d messages promised, %,d acknowledged, %,d delivered again, %,d in hand without"
                + " acknowledgement, %,d receipts refused",
            promised,
            acked,
            redelivered,
            inHand,
            stale);
    return lost + forgotten == 0
        ? text
        : text
            + String.format(
                Locale.ROOT,
                "; not yet forced and lost: %,d messages, the earliest %,d ms before the end, and"
                    + " %,d acknowledgements, the earliest %,d ms; %,d batches in part",
                lost,
                lostNanos / 1_000_000,
                forgotten,
                forgottenNanos / 1_000_000,
                tornBatches);
  }
}
