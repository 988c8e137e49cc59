package com.wookler.river.core.delay;

/** Notes what a file has lost of its records, and tells it when it was read. */
final class DamageReport implements BucketScan.Visitor {
  private final DelayContext context;
  private final Bucket bucket;
  private long found;
  private long from = Long.MAX_VALUE;
  private long to;

  DamageReport(DelayContext context, Bucket bucket) {
    this.context = context;
    this.bucket = bucket;
  }

  @Override
  public void record(long time, long sequence, long offset, int length) {
    found++;
  }

  @Override
  public void damaged(long start, long end) {
    from = Math.min(from, start);
    to = Math.max(to, end);
  }

  /** Reports what is lost, once. Returns whether something is. */
  boolean tell() {
    long lost = bucket.records - found;
    if (to == 0 || lost <= 0) {
      return false;
    }
    bucket.records = found;
    context.lost(bucket.file.path(), DelayContext.UNKNOWN, lost, from, to);
    return true;
  }
}
