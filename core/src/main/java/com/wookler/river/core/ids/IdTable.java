package com.wookler.river.core.ids;

/**
 * Finds the offsets of ids by their hashes: open addressing in two arrays, 12 bytes a slot, at most
 * three quarters full, so 16 to 32 bytes an id. Several offsets may have one hash; the caller
 * compares the ids. Not thread-safe.
 */
final class IdTable {
  private static final int MIN_SLOTS = 1 << 10;

  private long[] hashes = new long[MIN_SLOTS];
  private int[] places = new int[MIN_SLOTS]; // 0: the slot is free
  private int size;

  /** Verifies an offset. */
  @FunctionalInterface
  interface Proof {
    boolean holds(int offset);
  }

  /** Adds a place, which isn't 0. */
  void add(long hash, int place) {
    if (size >= hashes.length / 4 * 3) {
      grow();
    }
    put(hash, place);
    size++;
  }

  private void put(long hash, int place) {
    int slot = (int) hash & (hashes.length - 1);
    while (places[slot] != 0) {
      slot = (slot + 1) & (hashes.length - 1);
    }
    hashes[slot] = hash;
    places[slot] = place;
  }

  /** Returns a place with this hash that the proof accepts; 0 if there is none. */
  int find(long hash, Proof proof) {
    int slot = (int) hash & (hashes.length - 1);
    while (places[slot] != 0) {
      if (hashes[slot] == hash && proof.holds(places[slot])) {
        return places[slot];
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
    int[] oldPlaces = places;
    hashes = new long[oldHashes.length * 2];
    places = new int[oldHashes.length * 2];
    for (int i = 0; i < oldPlaces.length; i++) {
      if (oldPlaces[i] != 0) {
        put(oldHashes[i], oldPlaces[i]);
      }
    }
  }
}
