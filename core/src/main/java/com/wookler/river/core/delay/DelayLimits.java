package com.wookler.river.core.delay;

/**
 * What is kept in memory and how large files get.
 *
 * @param entries in memory of those in files, about: half of it to twice of it
 * @param bytes of a file, about
 * @param fresh entries in memory that are in no file yet
 */
record DelayLimits(int entries, long bytes, int fresh) {
  static final DelayLimits DEFAULT = new DelayLimits(32_768, 32L << 20, 65_536);

  /** Files with more than this are divided before they are taken into memory. */
  boolean isTooLarge(Bucket bucket) {
    return bucket.records > 1 && (bucket.records > entries || bucket.bytes > bytes);
  }

  /** Into how many files these are divided. */
  int parts(long records, long recordBytes) {
    long byEntries = (records + entries / 2 - 1) / Math.max(1, entries / 2);
    long byBytes = (recordBytes + bytes / 2 - 1) / Math.max(1, bytes / 2);
    long parts = Math.min(records, Math.max(byEntries, byBytes));
    return (int) Math.max(1, Math.min(BucketDivision.MOST, parts));
  }
}
