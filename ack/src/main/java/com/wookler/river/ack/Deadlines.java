package com.wookler.river.ack;

import java.util.Arrays;

/**
 * Knows when each message in flight or delayed falls due: a binary heap of (due, sequence) in two
 * arrays. Guarded by the subscriber's lock.
 *
 * <p>Nothing is removed when a message is completed or its deadline moves: an entry is stale when
 * the {@link Ring} says otherwise. Stale entries go when they reach the top, or all at once when
 * the heap is full and more than half of it is stale. With one constant timeout dues never
 * decrease, so that an addition compares once and stays at the bottom: O(1).
 *
 * <p>The rejected alternatives: a heap with the index of each entry (each ack would cost O(log n)),
 * and a wheel of slots (needs a link for each entry, and delays reach from milliseconds to months).
 */
final class Deadlines {
  private static final int MIN_CAPACITY = 1024;

  private final Ring ring;
  private long[] dues = new long[MIN_CAPACITY];
  private long[] sequences = new long[MIN_CAPACITY];
  private int size;
  private long taken;

  Deadlines(Ring ring) {
    this.ring = ring;
  }

  /** Adds the deadline of an entry whose due the ring already knows. */
  void add(long due, long sequence) {
    if (size == dues.length) {
      makeRoom();
    }
    dues[size] = due;
    sequences[size] = sequence;
    size++;
    up(size - 1);
  }

  /** Returns the earliest live deadline; {@link Long#MAX_VALUE} if there is none. */
  long next() {
    if (live() == 0) {
      clear();
    }
    while (size > 0 && !isLive(0)) {
      removeTop();
    }
    return size == 0 ? Long.MAX_VALUE : dues[0];
  }

  /** Removes the earliest live deadline if it is due. Returns its sequence, or -1. */
  long takeDue(long nowMillis) {
    if (size == 0 || dues[0] > nowMillis || next() > nowMillis) {
      return -1;
    }
    long sequence = sequences[0];
    taken = dues[0];
    removeTop();
    return sequence;
  }

  /** Returns the deadline that {@link #takeDue} took last. */
  long taken() {
    return taken;
  }

  void clear() {
    size = 0;
    if (dues.length > MIN_CAPACITY * 64) {
      resize(MIN_CAPACITY);
    }
  }

  int capacity() {
    return dues.length;
  }

  private int live() {
    return ring.count(EntryState.IN_FLIGHT) + ring.count(EntryState.DELAYED);
  }

  private boolean isLive(int i) {
    long sequence = sequences[i];
    if (!ring.holds(sequence) || ring.due(sequence) != (int) dues[i]) {
      return false;
    }
    return ring.isInFlight(sequence) || ring.is(sequence, EntryState.DELAYED);
  }

  private void makeRoom() {
    if (size > 2L * live()) {
      int kept = 0;
      for (int i = 0; i < size; i++) {
        if (isLive(i)) {
          dues[kept] = dues[i];
          sequences[kept] = sequences[i];
          kept++;
        }
      }
      size = kept;
      for (int i = size / 2 - 1; i >= 0; i--) {
        down(i);
      }
    }
    if (size > dues.length / 2) {
      resize(dues.length * 2);
    }
  }

  private void removeTop() {
    size--;
    dues[0] = dues[size];
    sequences[0] = sequences[size];
    down(0);
  }

  private void up(int start) {
    int i = start;
    while (i > 0 && isBefore(i, (i - 1) / 2)) {
      swap(i, (i - 1) / 2);
      i = (i - 1) / 2;
    }
  }

  private void down(int start) {
    int i = start;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && isBefore(child + 1, child)) {
        child++;
      }
      if (!isBefore(child, i)) {
        return;
      }
      swap(i, child);
      i = child;
    }
  }

  /** Compares two deadlines; those of one millisecond, as of a batch, in the order of the log. */
  private boolean isBefore(int a, int b) {
    return dues[a] < dues[b] || (dues[a] == dues[b] && sequences[a] < sequences[b]);
  }

  private void swap(int a, int b) {
    long due = dues[a];
    dues[a] = dues[b];
    dues[b] = due;
    long sequence = sequences[a];
    sequences[a] = sequences[b];
    sequences[b] = sequence;
  }

  private void resize(int capacity) {
    dues = Arrays.copyOf(dues, capacity);
    sequences = Arrays.copyOf(sequences, capacity);
  }
}
