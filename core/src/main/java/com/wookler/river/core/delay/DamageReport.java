package com.wookler.river.core.delay;

import org.jspecify.annotations.Nullable;

/** Finds out, while a file is read, how many of its waiting records are lost. */
final class DamageReport implements BucketScan.Visitor {
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

  @Override
  public void record(long time, long sequence, long offset, int length) {
    found++;
    waiting += done.isBefore(time, sequence) ? 1 : 0;
  }

  @Override
  public void damaged(long start, long end) {
    from = Math.min(from, start);
    to = Math.max(to, end);
  }

  /** Returns what is lost of the keys before an end; null if nothing is, or it was returned. */
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
