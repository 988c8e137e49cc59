package com.wookler.river.common.removed;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * A set of sequences, as ranges: 16 bytes each. Immutable; a look-up is a binary search.
 *
 * <p>It keeps the beginnings and ends of its ranges in one sorted array, so that a sequence is
 * within it if an odd number of them is not above that.
 */
public final class SequenceRanges {
  /** The empty set. */
  public static final SequenceRanges NONE = new SequenceRanges(new long[0]);

  private final long[] bounds;

  private SequenceRanges(long[] bounds) {
    this.bounds = bounds;
  }

  /** Returns the set of one sequence. */
  public static SequenceRanges of(long sequence) {
    return between(sequence, sequence + 1);
  }

  /** Returns the set of the sequences from one on up to, and without, another. */
  public static SequenceRanges between(long from, long end) {
    return from < end ? new SequenceRanges(new long[] {from, end}) : NONE;
  }

  /** Returns the set of these sequences, in any order. */
  public static SequenceRanges of(long... sequences) {
    return of(sequences, Arrays.stream(sequences).map(sequence -> sequence + 1).toArray());
  }

  /**
   * Returns the union of ranges, each from a start up to, and without, its end. Which start belongs
   * to which end does not matter: between two ranges as many have ended as have begun.
   */
  static SequenceRanges of(long[] starts, long[] ends) {
    long[] from = starts.clone();
    long[] to = ends.clone();
    Arrays.sort(from); // fast where these are runs in order, as in a union
    Arrays.sort(to);
    long[] found = new long[2 * from.length];
    int length = 0;
    for (int i = 0; i < from.length; i++) {
      if (i == 0 || to[i - 1] < from[i]) {
        found[length++] = from[i];
      }
      if (i + 1 == from.length || to[i] < from[i + 1]) {
        found[length++] = to[i];
      }
    }
    return new SequenceRanges(Arrays.copyOf(found, length));
  }

  /** Returns the union of sets. */
  public static SequenceRanges union(Iterable<SequenceRanges> sets) {
    int ranges = 0;
    for (SequenceRanges set : sets) {
      ranges += set.ranges();
    }
    long[] starts = new long[ranges];
    long[] ends = new long[ranges];
    int at = 0;
    for (SequenceRanges set : sets) {
      for (int i = 0; i < set.ranges(); i++) {
        starts[at] = set.start(i);
        ends[at++] = set.end(i);
      }
    }
    return of(starts, ends);
  }

  /** Returns whether a sequence is in the set. */
  public boolean contains(long sequence) {
    return bounds.length > 0 && (notAbove(sequence) & 1) == 1;
  }

  /** Returns the first sequence from this one on that is not in the set. */
  public long endOf(long sequence) {
    int below = bounds.length == 0 ? 0 : notAbove(sequence);
    return (below & 1) == 1 ? bounds[below] : sequence;
  }

  /** Returns how many of the sequences from one on up to, and without, another are in the set. */
  public long count(long from, long end) {
    long count = 0;
    for (int i = notAbove(from) / 2; i < ranges() && start(i) < end; i++) {
      count += Math.max(0, Math.min(end, end(i)) - Math.max(from, start(i)));
    }
    return count;
  }

  /** Returns the part of the set from a sequence on up to, and without, another. */
  public SequenceRanges within(long from, long end) {
    long[] part = new long[bounds.length];
    int length = 0;
    for (int i = notAbove(from) / 2; i < ranges() && start(i) < end; i++) {
      if (end(i) > from && from < end) {
        part[length++] = Math.max(from, start(i));
        part[length++] = Math.min(end, end(i));
      }
    }
    return new SequenceRanges(Arrays.copyOf(part, length));
  }

  /** Returns the ranges that do not end before a sequence. */
  public SequenceRanges endingFrom(long sequence) {
    int first = 0;
    while (first < ranges() && end(first) < sequence) {
      first++;
    }
    return new SequenceRanges(Arrays.copyOfRange(bounds, 2 * first, bounds.length));
  }

  /** Returns how many bounds there are up to this sequence. */
  private int notAbove(long sequence) {
    int at = Arrays.binarySearch(bounds, sequence);
    return at < 0 ? -at - 1 : at + 1;
  }

  /** Returns the number of its ranges, between any two of which is a sequence outside. */
  public int ranges() {
    return bounds.length / 2;
  }

  /** Returns the first sequence of a range. */
  public long start(int range) {
    return bounds[2 * range];
  }

  /** Returns the sequence after a range. */
  public long end(int range) {
    return bounds[2 * range + 1];
  }

  /** Returns whether it has no sequence. */
  public boolean isEmpty() {
    return bounds.length == 0;
  }

  /** Returns whether any sequence of the set meets a condition; asks about each until one does. */
  public boolean anyMatch(LongPredicate condition) {
    for (int i = 0; i < ranges(); i++) {
      for (long sequence = start(i); sequence < end(i); sequence++) {
        if (condition.test(sequence)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns how many sequences of the set meet a condition; asks about each. */
  public long countMatching(LongPredicate condition) {
    long[] count = {0};
    boolean unused =
        anyMatch(
            sequence -> {
              count[0] += condition.test(sequence) ? 1 : 0;
              return false;
            });
    return count[0];
  }

  /** Returns the number of its sequences. */
  public long size() {
    return isEmpty() ? 0 : count(bounds[0], bounds[bounds.length - 1]);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SequenceRanges ranges && Arrays.equals(bounds, ranges.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }

  @Override
  public String toString() {
    return Arrays.toString(bounds);
  }
}
