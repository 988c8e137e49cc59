package com.wookler.river.core.delay;

import com.wookler.river.common.file.RecordFile;

/**
 * A file with the waiting messages from one key up to the first key of the next file. Confined to
 * the flusher, except for the fields that the lock guards.
 */
final class Bucket {
  static final int FAR = -1;

  final Key from;
  final RecordFile file;
  long bytes; // up to the end of its last record
  long records;
  long waiting; // records that were not done when the last state was captured
  int slot = FAR; // in the index; guarded by the lock for changes
  int live; // entries in the index; guarded by the lock
  boolean wasEmpty; // all of it was done when the last state was captured; guarded by the lock
  boolean grown; // whether records were added since then

  Bucket(Key from, RecordFile file, long bytes, long records) {
    this.from = from;
    this.file = file;
    this.bytes = bytes;
    this.records = records;
    this.waiting = records;
  }

  boolean isNear() {
    return slot != FAR;
  }

  TimerState.Line line() {
    return new TimerState.Line(file.number(), from, bytes, waiting);
  }
}
