package com.wookler.river.core.delay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Those waiting messages of the files that are due next, in memory. Complete up to a key: behind it
 * there are files that are not in it. Guarded by the lock of {@link Timers}.
 */
final class NearIndex {
  /** Place of a message that is in no file and is read where it came from. */
  static final long ELSEWHERE = Long.MIN_VALUE;

  private static final int OFFSET_BITS = 48;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  final DueHeap heap = new DueHeap();
  private final List<@Nullable Bucket> slots = new ArrayList<>();
  private Key end = Key.LAST;
  private long far; // records of files that are not in it

  /** Returns whether all that is due before this key is in it. */
  boolean covers(long time, long sequence) {
    return end.isBehind(time, sequence);
  }

  /** Returns whether few are left in it, though there are files that are not. */
  boolean needsFiles(int few) {
    return far > 0 && heap.size() < few;
  }

  void cover(Key to, long records) {
    end = to;
    far = records;
  }

  /** Messages that wait in files. */
  long waiting() {
    return heap.size() + far;
  }

  /** Takes a file in, whose entries are added then. */
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

  /** Takes a file out, with what it has left. */
  void end(Bucket bucket) {
    int slot = bucket.slot;
    if (bucket.live > 0) {
      heap.retain((time, sequence, place) -> place >>> OFFSET_BITS != slot);
    }
    slots.set(slot, null);
    bucket.slot = Bucket.FAR;
    bucket.live = 0;
  }

  /** Returns the file that a place says. */
  Bucket bucket(long place) {
    Bucket bucket = find(place);
    if (bucket == null) {
      throw new IllegalStateException("a message in a file that is gone");
    }
    return bucket;
  }

  /** Returns the file of a place; null if it was removed. */
  @Nullable Bucket find(long place) {
    int slot = (int) (place >>> OFFSET_BITS);
    return slot < slots.size() ? slots.get(slot) : null;
  }

  /**
   * Returns whether a message that is in no file was in one: this is the inverse of its place
   * there.
   */
  static boolean wasInFile(long place) {
    return place < 0;
  }

  static long offset(long place) {
    return place & OFFSET_MASK;
  }

  void removeFirst() {
    bucket(heap.place()).live--;
    heap.removeFirst();
  }

  /** Puts back what was removed. */
  void putBack(long time, long sequence, long place) {
    bucket(place).live++;
    heap.add(time, sequence, place);
  }

  /** Notes which files have nothing left. */
  void capture() {
    for (Bucket bucket : slots) {
      if (bucket != null) {
        bucket.wasEmpty = bucket.live == 0;
        bucket.waiting = bucket.live;
        bucket.grown = false;
      }
    }
  }

  /** Returns what is read of one file. */
  static DueHeap read(Bucket bucket, BucketScan.Visitor damage) throws IOException {
    DueHeap entries = new DueHeap();
    BucketScan.run(
        bucket.file,
        bucket.bytes,
        new BucketScan.Visitor() {
          @Override
          public void record(long time, long sequence, long offset, int length) throws IOException {
            damage.record(time, sequence, offset, length);
            entries.add(time, sequence, offset);
          }

          @Override
          public void damaged(long from, long to) throws IOException {
            damage.damaged(from, to);
          }
        });
    return entries;
  }
}
