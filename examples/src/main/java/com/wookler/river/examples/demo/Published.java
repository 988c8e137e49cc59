package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.BitSet;

/** Which sequence each event got when it was published. Thread-safe. */
final class Published {
  private static final long NOT_YET = -1;

  @GuardedBy("this")
  private final long[] sequences;

  @GuardedBy("this")
  private int count;

  Published(int events) {
    sequences = new long[events];
    Arrays.fill(sequences, NOT_YET);
  }

  /** Notes what a publish returned; answers how many events are published now. */
  synchronized int add(int number, long sequence) {
    sequences[number] = sequence;
    return ++count;
  }

  synchronized int count() {
    return count;
  }

  /** The sequence of an event; -1 if no publish of it returned. */
  synchronized long sequence(int number) {
    return sequences[number];
  }

  /** Whether the sequences are 0, 1, 2 … without gap or repetition. */
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
