package com.wookler.river.core.delay;

import com.wookler.river.common.utils.DueHeap;

/** Orders waiting messages: by the time when they are due, in microseconds, then by sequence. */
record Key(long time, long sequence) implements Comparable<Key> {
  static final Key FIRST = new Key(Long.MIN_VALUE, Long.MIN_VALUE);
  static final Key LAST = new Key(Long.MAX_VALUE, Long.MAX_VALUE);

  @Override
  public int compareTo(Key other) {
    return DueHeap.compare(time, sequence, other.time, other.sequence);
  }

  boolean isBefore(long otherTime, long otherSequence) {
    return DueHeap.compare(time, sequence, otherTime, otherSequence) < 0;
  }

  boolean isAfter(long otherTime, long otherSequence) {
    return DueHeap.compare(time, sequence, otherTime, otherSequence) > 0;
  }
}
