package com.wookler.river.common.utils;

import java.util.Arrays;

/** Orders messages by due time, then sequence: a heap of 24 bytes each. Guarded by its owner. */
public final class DueHeap {
  private static final int LEAST = 64;

  private long[] times = new long[LEAST];
  private long[] sequences = new long[LEAST];
  private long[] addresses = new long[LEAST];
  private int size;

  /** A condition of entries. */
  @FunctionalInterface
  public interface Condition {
    boolean holds(long time, long sequence, long address);
  }

  public int size() {
    return size;
  }

  public long bytes() {
    return 3L * Long.BYTES * times.length;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the time of the first entry. */
  public long time() {
    return times[0];
  }

  /** Returns the sequence of the first entry. */
  public long sequence() {
    return sequences[0];
  }

  /** Returns the address of the first entry. */
  public long address() {
    return addresses[0];
  }

  public void add(long time, long sequence, long address) {
    if (size == times.length) {
      resize(size + (size >> 1));
    }
    set(size, time, sequence, address);
    up(size++);
  }

  public void removeFirst() {
    size--;
    set(0, times[size], sequences[size], addresses[size]);
    down(0);
    if (times.length > LEAST && size < times.length / 4) {
      resize(Math.max(LEAST, times.length / 2));
    }
  }

  public long[] sequences() {
    return Arrays.copyOf(sequences, size);
  }

  /** Keeps those for which the condition holds. */
  public void retain(Condition condition) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (condition.holds(times[i], sequences[i], addresses[i])) {
        set(kept++, times[i], sequences[i], addresses[i]);
      }
    }
    size = kept;
    resize(Math.max(LEAST, Integer.highestOneBit(size) * 2));
    for (int i = size / 2 - 1; i >= 0; i--) {
      down(i);
    }
  }

  /** Returns a copy in order. */
  public DueHeap sorted() {
    DueHeap rest = new DueHeap();
    rest.times = times.clone();
    rest.sequences = sequences.clone();
    rest.addresses = addresses.clone();
    rest.size = size;
    DueHeap copy = new DueHeap();
    copy.resize(Math.max(LEAST, size));
    while (!rest.isEmpty()) {
      copy.set(copy.size++, rest.time(), rest.sequence(), rest.address());
      rest.removeFirst();
    }
    return copy;
  }

  // the entries of a sorted heap by their index

  public long time(int entry) {
    return times[entry];
  }

  public long sequence(int entry) {
    return sequences[entry];
  }

  public long address(int entry) {
    return addresses[entry];
  }

  public void address(int entry, long address) {
    addresses[entry] = address;
  }

  /** Returns whether a sorted heap has this entry. */
  public boolean contains(long time, long sequence) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compare(times[middle], sequences[middle], time, sequence);
      if (order == 0) {
        return true;
      }
      low = order < 0 ? middle + 1 : low;
      high = order > 0 ? middle - 1 : high;
    }
    return false;
  }

  private void resize(int to) {
    times = Arrays.copyOf(times, to);
    sequences = Arrays.copyOf(sequences, to);
    addresses = Arrays.copyOf(addresses, to);
  }

  private void set(int at, long time, long sequence, long address) {
    times[at] = time;
    sequences[at] = sequence;
    addresses[at] = address;
  }

  /** Compares two entries by due time, then sequence. */
  public static int compare(long time, long sequence, long otherTime, long otherSequence) {
    int order = Long.compare(time, otherTime);
    return order != 0 ? order : Long.compare(sequence, otherSequence);
  }

  private boolean isBefore(int a, int b) {
    return compare(times[a], sequences[a], times[b], sequences[b]) < 0;
  }

  private void up(int from) {
    int at = from;
    while (at > 0 && isBefore(at, (at - 1) / 2)) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }

  private void down(int from) {
    int at = from;
    while (2 * at + 1 < size) {
      int least = 2 * at + 1;
      if (least + 1 < size && isBefore(least + 1, least)) {
        least++;
      }
      if (!isBefore(least, at)) {
        return;
      }
      swap(at, least);
      at = least;
    }
  }

  private void swap(int a, int b) {
    long time = times[a];
    long sequence = sequences[a];
    long address = addresses[a];
    set(a, times[b], sequences[b], addresses[b]);
    set(b, time, sequence, address);
  }
}
