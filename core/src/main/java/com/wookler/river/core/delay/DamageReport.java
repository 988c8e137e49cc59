package com.wookler.river.core.delay;

import org.jspecify.annotations.Nullable;

/** Notes what a file has lost of its records while it is read. */
final class DamageReport implements BucketScan.Visitor {
  private final Bucket bucket;
  private final Key done;
  private long found;
  private long waiting; // of them
  private long from = Long.MAX_VALUE;
  private long to;

  /**
   * For a file.
   *
   * @param done up to this key nothing of it counts
   */
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

  /**
   * Returns what is lost, once; null if nothing is.
   *
   * @param end what is due from this key on is in other files
   */
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
