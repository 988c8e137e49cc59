package com.wookler.river.core.delay;

import com.wookler.river.common.utils.DueHeap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in memory the messages of the files that are due next: all up to a key, after which there
 * are files that are not in it. Guarded by the lock of {@link Timers}.
 */
final class NearIndex {
  // the address of a message that is in no file and is read from where it came from
  static final long ELSEWHERE = Long.MIN_VALUE;
  private static final int OFFSET_BITS = 48;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  final DueHeap heap = new DueHeap();
  private final List<@Nullable Bucket> slots = new ArrayList<>();
  private Key end = Key.LAST;
  private long far; // records of the other files

  /** Returns whether it has all that is due before this key. */
  boolean covers(long time, long sequence) {
    return end.isAfter(time, sequence);
  }

  /** Returns whether it has only a few messages although there are other files. */
  boolean needsFiles(int few) {
    return far > 0 && heap.size() < few;
  }

  void cover(Key to, long records) {
    end = to;
    far = records;
  }

  long waiting() {
    return heap.size() + far;
  }

  /** Takes a file into the index; its entries are added afterwards. */
  void begin(Bucket bucket) {
    int slot = slots.indexOf(null);
    if (slot < 0) {
      slot = slots.size();
      slots.add(bucket);
    } else {
      slots.set(slot, bucket);
    }
    bucket.slot = slot;
    bucket.live = 0;
    bucket.wasEmpty = false;
  }

  void add(Bucket bucket, long time, long sequence, long offset) {
    heap.add(time, sequence, (long) bucket.slot << OFFSET_BITS | offset);
    bucket.live++;
  }

  void end(Bucket bucket) {
    int slot = bucket.slot;
    if (bucket.live > 0) {
      heap.retain((time, sequence, address) -> address >>> OFFSET_BITS != slot);
    }
    slots.set(slot, null);
    bucket.slot = Bucket.FAR;
    bucket.live = 0;
  }

  Bucket bucket(long address) {
    return Objects.requireNonNull(find(address), "a message in a file that was removed");
  }

  /** Returns the file of an address; null if it was removed. */
  @Nullable Bucket find(long address) {
    int slot = (int) (address >>> OFFSET_BITS);
    return slot < slots.size() ? slots.get(slot) : null;
  }

  /** Returns whether this is the inverse of an address: the message has to go into another file. */
  static boolean wasInFile(long address) {
    return address < 0;
  }

  static long offset(long address) {
    return address & OFFSET_MASK;
  }

  void removeFirst() {
    bucket(heap.address()).live--;
    heap.removeFirst();
  }

  void putBack(long time, long sequence, long address) {
    bucket(address).live++;
    heap.add(time, sequence, address);
  }

  /** Records which files have nothing left. */
  void capture() {
    for (Bucket bucket : slots) {
      if (bucket != null) {
        bucket.wasEmpty = bucket.live == 0;
        bucket.waiting = bucket.live;
        bucket.grown = false;
      }
    }
  }
}
