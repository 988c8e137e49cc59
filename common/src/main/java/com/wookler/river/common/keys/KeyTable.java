package com.wookler.river.common.keys;

import java.util.Arrays;

/**
 * The last sequence of each hash among the newest messages: open addressing in two arrays, 2 MB
 * whatever it holds. Not thread-safe.
 */
final class KeyTable {
  static final int FULL = 1 << 16; // the count of hashes at which it is written
  static final long NONE = -1;

  private static final int SLOTS = FULL * 2; // one step may add hashes beyond that

  private final long[] hashes = new long[SLOTS];
  private final long[] ends = new long[SLOTS]; // sequence + 1; 0: the slot is free
  private int size;

  /** Adds a sequence, instead of an older one of this hash. */
  void put(long hash, long sequence) {
    int slot = slot(hash);
    if (ends[slot] == 0) {
      hashes[slot] = hash;
      size++;
    }
    ends[slot] = sequence + 1;
  }

  long find(long hash) {
    return ends[slot(hash)] - 1;
  }

  private int slot(long hash) {
    int slot = (int) (hash ^ hash >>> 32) & (SLOTS - 1);
    while (ends[slot] != 0 && hashes[slot] != hash) {
      slot = (slot + 1) & (SLOTS - 1);
    }
    return slot;
  }

  int size() {
    return size;
  }

  boolean isFull() {
    return size >= FULL;
  }

  long[] sorted() {
    long[] sorted = new long[size];
    int at = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      if (ends[slot] != 0) {
        sorted[at++] = hashes[slot];
      }
    }
    Arrays.sort(sorted);
    return sorted;
  }

  void clear() {
    if (size > 0) {
      Arrays.fill(ends, 0);
      size = 0;
    }
  }
}
