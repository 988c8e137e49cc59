package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.BitSet;

/** Records the sequence of each published event. Thread-safe. */
final class PublishedSequences {
  private static final long NOT_YET = -1;

  @GuardedBy("this")
  private final long[] sequences;

  @GuardedBy("this")
  private int count;

  PublishedSequences(int events) {
    sequences = new long[events];
    Arrays.fill(sequences, NOT_YET);
  }

  /** Records the sequence of an event, and returns the number of events published so far. */
  synchronized int add(int number, long sequence) {
    sequences[number] = sequence;
    return ++count;
  }

  synchronized int count() {
    return count;
  }

  /** Returns the sequence of an event; -1 if it is not published. */
  synchronized long sequence(int number) {
    return sequences[number];
  }

  /** Returns whether the sequences are 0, 1, 2 … without gap or duplicate. */
  synchronized boolean dense() {
    BitSet seen = new BitSet(sequences.length);
    for (long sequence : sequences) {
      if (sequence < 0 || sequence >= sequences.length || seen.get((int) sequence)) {
        return false;
      }
      seen.set((int) sequence);
    }
    return true;
  }
}
