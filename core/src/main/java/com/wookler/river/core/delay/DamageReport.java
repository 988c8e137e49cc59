package com.wookler.river.core.delay;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Finds out how many of the waiting records of a file are lost. Used once. */
final class DamageReport implements DelayedRecord.Visitor {
  private final Key done;
  private final DelayedRecord.Visitor records;
  private long found;
  private long waiting;
  private long from = Long.MAX_VALUE;
  private long to;

  private DamageReport(Key done, DelayedRecord.Visitor records) {
    this.done = done;
    this.records = records;
  }

  /** Returns what a file has lost of what waits between {@code done} and {@code end}, or null. */
  static WaitingRebuild.@Nullable Lost scan(
      Bucket bucket, Key end, Key done, DelayedRecord.Visitor records) throws IOException {
    DamageReport report = new DamageReport(done, records);
    DelayedRecord.scan(bucket.file, bucket.bytes, report);
    long lost = bucket.waiting - report.waiting;
    if (report.to == 0 || lost <= 0) {
      return null;
    }
    bucket.records = report.found;
    bucket.waiting = report.waiting;
    return new WaitingRebuild.Lost(
        bucket.file.path(), bucket.from, end, lost, report.from, report.to);
  }

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
}
