package com.wookler.river.ack;

/**
 * Order by key (per-key ordering): knows which keys are locked, and which messages wait for them.
 * Guarded by the subscriber's lock.
 *
 * <p>A key is locked from when a message of it is read until no message of it that was read is
 * unfinished. The first of those is its holder: in flight, or waiting for a further delivery or its
 * dead letter. The others are {@link EntryState#WAITING}, in the order of their sequences.
 *
 * <p>Beside each entry of the {@link Ring} there are 12 bytes: the key, and the distance to the
 * next message of the same key. That distance stays right when the arrays grow, and no list has to
 * be walked: a message that enters is linked to the last of its key, one that leaves makes the next
 * the holder. Locked keys, and no others, are in a hash table of 12 bytes a slot, at most half
 * full, which has the last message of each. So every call is O(1), nothing is allocated per
 * message, and the memory follows the messages that are read and unfinished, not the keys.
 *
 * <p>Keys are 64-bit hashes. Two texts with the same hash count as one key: their messages wait for
 * each other, which is slower than it need be, and never wrong.
 */
final class KeyOrder {
  static final long NONE = 0; // no key
  static final int MIN_TABLE = 256;
  // 2^64 over the golden ratio: keys in a row are spread
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
  private static final int APART = 0; // of an entry that holds no key and waits for none
  private static final int LAST = -1;

  private final Ring ring;

  // by the low bits of the sequence
  private long[] keys = new long[Ring.MIN_CAPACITY];
  private int[] distances = new int[Ring.MIN_CAPACITY];

  // by hash, open addressing; NONE is free
  private long[] locked = new long[MIN_TABLE];
  private int[] tails = new int[MIN_TABLE]; // low 32 bits of the sequence
  private int size;
  private long top = -1; // the highest sequence that entered; the arrays have nothing above it

  KeyOrder(Ring ring) {
    this.ring = ring;
  }

  /** Returns whether a message of this key has to wait. */
  boolean isLocked(long key) {
    return locked[find(key)] == key;
  }

  /** Adds the highest message so far, within the ring; returns whether it holds its key now. */
  boolean enter(long sequence, long key) {
    makeRoom();
    int slot = find(key);
    boolean free = locked[slot] == NONE;
    if (free) {
      locked[slot] = key;
      size++;
    } else {
      long tail = ring.lowWatermark() + (tails[slot] - (int) ring.lowWatermark());
      distances[index(tail)] = (int) (sequence - tail);
    }
    tails[slot] = (int) sequence;
    top = sequence;
    keys[index(sequence)] = key;
    distances[index(sequence)] = LAST;
    return free;
  }

  /** Removes a completed message that does not wait; returns the new holder of its key, or -1. */
  long leave(long sequence) {
    if (sequence > top) {
      return -1;
    }
    int at = index(sequence);
    int distance = distances[at];
    distances[at] = APART;
    if (distance > 0) {
      return sequence + distance;
    }
    if (distance == LAST) {
      remove(find(keys[at]));
    }
    return -1;
  }

  void clear() {
    replaceEntries(new long[ring.capacity()], new int[ring.capacity()]);
    replaceTable(new long[MIN_TABLE], new int[MIN_TABLE]);
    size = 0;
    top = -1;
  }

  int size() {
    return size;
  }

  /** Returns the number of slots of the table; for tests. */
  int tableCapacity() {
    return locked.length;
  }

  /** Returns the number of entries beside the ring's; for tests. */
  int entryCapacity() {
    return keys.length;
  }

  private int index(long sequence) {
    return (int) sequence & (keys.length - 1);
  }

  /** Returns the slot of a key, or the free one where it would be. */
  private int find(long key) {
    int slot = home(key, locked.length);
    while (locked[slot] != NONE && locked[slot] != key) {
      slot = (slot + 1) & (locked.length - 1);
    }
    return slot;
  }

  private static int home(long key, int capacity) {
    return (int) ((key * SPREAD) >>> (Long.numberOfLeadingZeros(capacity) + 1));
  }

  /** Frees a slot, and moves those up that are where they are only because it was taken. */
  private void remove(int slot) {
    int mask = locked.length - 1;
    int free = slot;
    for (int next = (free + 1) & mask; locked[next] != NONE; next = (next + 1) & mask) {
      int displaced = (next - home(locked[next], locked.length)) & mask;
      if (displaced >= ((next - free) & mask)) {
        locked[free] = locked[next];
        tails[free] = tails[next];
        free = next;
      }
    }
    locked[free] = NONE;
    size--;
  }

  /** Follows the ring up; and down, as soon as no key is locked. */
  private void makeRoom() {
    if (size == 0 && keys.length != ring.capacity()) {
      clear();
    } else if (keys.length < ring.capacity()) {
      follow(ring.capacity());
    }
    if (size >= locked.length / 2) {
      rehash(locked.length * 2);
    }
  }

  private void follow(int capacity) {
    long[] newKeys = new long[capacity];
    int[] newDistances = new int[capacity];
    for (long s = ring.lowWatermark(); s <= top; s++) {
      int to = (int) s & (capacity - 1);
      newKeys[to] = keys[index(s)];
      newDistances[to] = distances[index(s)];
    }
    replaceEntries(newKeys, newDistances);
  }

  private void replaceEntries(long[] newKeys, int[] newDistances) {
    keys = newKeys;
    distances = newDistances;
  }

  private void rehash(int capacity) {
    long[] oldLocked = locked;
    int[] oldTails = tails;
    replaceTable(new long[capacity], new int[capacity]);
    for (int i = 0; i < oldLocked.length; i++) {
      if (oldLocked[i] != NONE) {
        int slot = find(oldLocked[i]);
        locked[slot] = oldLocked[i];
        tails[slot] = oldTails[i];
      }
    }
  }

  /** Replaces both or, where the heap has no space for the second, neither. */
  private void replaceTable(long[] newLocked, int[] newTails) {
    locked = newLocked;
    tails = newTails;
  }
}
