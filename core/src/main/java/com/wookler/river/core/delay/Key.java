package com.wookler.river.core.delay;

/** Orders waiting messages: by the time when they are due, in microseconds, then by sequence. */
record Key(long time, long sequence) implements Comparable<Key> {
  static final Key FIRST = new Key(Long.MIN_VALUE, Long.MIN_VALUE);
  static final Key LAST = new Key(Long.MAX_VALUE, Long.MAX_VALUE);

  static int compare(long time, long sequence, long otherTime, long otherSequence) {
    int byTime = Long.compare(time, otherTime);
    return byTime != 0 ? byTime : Long.compare(sequence, otherSequence);
  }

  @Override
  public int compareTo(Key other) {
    return compare(time, sequence, other.time, other.sequence);
  }

  boolean isBefore(long otherTime, long otherSequence) {
    return compare(time, sequence, otherTime, otherSequence) < 0;
  }

  boolean isAfter(long otherTime, long otherSequence) {
    return compare(time, sequence, otherTime, otherSequence) > 0;
  }
}
