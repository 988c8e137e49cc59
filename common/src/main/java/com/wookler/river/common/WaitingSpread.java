package com.wookler.river.common;

/**
 * Counts the waiting messages by ranges of the sequences at which they were published, so that
 * those above a subscriber's low watermark, which it counts itself, are not counted twice. Exact to
 * within a 512th of the sequences that it knows; 4 KB. Messages in files that an opening does not
 * read count as older than all others. Not thread-safe.
 */
public final class WaitingSpread {
  private static final int PARTS = 1_024;

  private final long base;
  private final int[] counts = new int[PARTS];
  private int shift; // a part has 1 << shift sequences
  private long total;

  /** Begins to count sequences from a base on; messages before it are not counted. */
  public WaitingSpread(long base) {
    this.base = base;
  }

  /** Counts messages that were published at a sequence; none if the number is negative. */
  public void add(long sequence, int number) {
    if (sequence < base) {
      return;
    }
    while ((sequence - base) >>> shift >= PARTS) {
      widen();
    }
    counts[(int) ((sequence - base) >>> shift)] += number;
    total += number;
  }

  private void widen() {
    for (int i = 0; i < PARTS; i++) {
      int both = i < PARTS / 2 ? counts[2 * i] + counts[2 * i + 1] : 0;
      counts[i] = both;
    }
    shift++;
  }

  /** Returns how many of the counted messages were published from a sequence on. */
  public long from(long sequence) {
    if (sequence <= base) {
      return total;
    }
    long at = (sequence - base) >>> shift;
    if (at >= PARTS) {
      return 0;
    }
    long width = 1L << shift;
    long inPart = (sequence - base) & (width - 1);
    long found = counts[(int) at] * (width - inPart) / width;
    for (int i = (int) at + 1; i < PARTS; i++) {
      found += counts[i];
    }
    return found;
  }
}
