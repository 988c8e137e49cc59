package com.wookler.river.common.ids;

/**
 * Finds the offsets of ids by their hashes: open addressing in two arrays, 12 bytes a slot, at most
 * three quarters full, so 16 to 32 bytes an id. Several offsets may have one hash; the caller
 * compares the ids. Not thread-safe.
 */
final class IdTable {
  private static final int MIN_SLOTS = 1 << 10;

  private long[] hashes = new long[MIN_SLOTS];
  private int[] offsets = new int[MIN_SLOTS]; // 0: the slot is free
  private int size;

  @FunctionalInterface
  interface Proof {
    boolean holds(int offset);
  }

  /** Adds an offset, which isn't 0. */
  void add(long hash, int offset) {
    if (size >= hashes.length / 4 * 3) {
      grow();
    }
    put(hash, offset);
    size++;
  }

  private void put(long hash, int offset) {
    int slot = (int) hash & (hashes.length - 1);
    while (offsets[slot] != 0) {
      slot = (slot + 1) & (hashes.length - 1);
    }
    hashes[slot] = hash;
    offsets[slot] = offset;
  }

  /** Returns an offset with this hash that the proof accepts; 0 if there is none. */
  int find(long hash, Proof proof) {
    int slot = (int) hash & (hashes.length - 1);
    while (offsets[slot] != 0) {
      if (hashes[slot] == hash && proof.holds(offsets[slot])) {
        return offsets[slot];
      }
      slot = (slot + 1) & (hashes.length - 1);
    }
    return 0;
  }

  int size() {
    return size;
  }

  private void grow() {
    long[] oldHashes = hashes;
    int[] oldOffsets = offsets;
    hashes = new long[oldHashes.length * 2];
    offsets = new int[oldHashes.length * 2];
    for (int i = 0; i < oldOffsets.length; i++) {
      if (oldOffsets[i] != 0) {
        put(oldHashes[i], oldOffsets[i]);
      }
    }
  }
}
