package com.wookler.river.core.delay;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Scans a file and finds out how many of its waiting records are lost. Used once. */
final class DamageReport {
  private final Bucket bucket;
  private final Key done;
  private long found;
  private long waiting;
  private long from = Long.MAX_VALUE;
  private long to;

  /** Creates a report on a file, in which messages up to a key no longer wait. */
  DamageReport(Bucket bucket, Key done) {
    this.bucket = bucket;
    this.done = done;
  }

  void scan(DelayedRecord.Visitor records) throws IOException {
    DelayedRecord.scan(
        bucket.file,
        bucket.bytes,
        new DelayedRecord.Visitor() {
          @Override
          public void message(long time, long sequence, long offset, int size) throws IOException {
            found++;
            waiting += done.isBefore(time, sequence) ? 1 : 0;
            records.message(time, sequence, offset, size);
          }

          @Override
          public void damaged(long start, long end) {
            from = Math.min(from, start);
            to = Math.max(to, end);
          }
        });
  }

  /** Returns what is lost of the keys before an end; null if nothing is. */
  WaitingRebuild.@Nullable Lost lost(Key end) {
    long lost = bucket.waiting - waiting;
    if (to == 0 || lost <= 0) {
      return null;
    }
    bucket.records = found;
    bucket.waiting = waiting;
    return new WaitingRebuild.Lost(bucket.file.path(), bucket.from, end, lost, from, to);
  }
}
