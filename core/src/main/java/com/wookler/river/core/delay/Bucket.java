package com.wookler.river.core.delay;

/**
 * A file of waiting messages and what it holds: those from a key on, up to the next one's. Confined
 * to the caller that writes files, but for what is said to be guarded.
 */
final class Bucket {
  static final int FAR = -1;

  final Key from;
  final BucketFile file;
  long bytes; // that count
  long records;
  long waiting; // of them, those that were not done when the last state was captured
  long newBytes; // with what is being added
  long newRecords;
  int slot = FAR; // in the index; guarded by the lock for changes
  int live; // entries in the index; guarded by the lock
  boolean wasEmpty; // all of it was done when the last state was captured; guarded by the lock
  boolean grown; // since then

  Bucket(Key from, BucketFile file, long bytes, long records) {
    this.from = from;
    this.file = file;
    this.bytes = bytes;
    this.records = records;
    this.waiting = records;
  }

  /** Counts records that were added, which wait. */
  void added(long more) {
    records += more;
    waiting += more;
  }

  boolean isNear() {
    return slot != FAR;
  }

  TimerState.Line line() {
    return new TimerState.Line(file.number(), from, bytes, waiting);
  }
}
