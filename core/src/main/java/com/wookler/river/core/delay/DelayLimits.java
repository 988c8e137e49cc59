package com.wookler.river.core.delay;

/**
 * Limits what is kept in memory, and the size of files.
 *
 * @param entries in memory of messages in files: about half of it to twice of it
 * @param fresh entries in memory that are in no file yet
 */
record DelayLimits(int entries, long bytes, int fresh) {
  static final DelayLimits DEFAULT = new DelayLimits(32_768, 32L << 20, 65_536);

  /** Returns whether a file is divided before it is read into memory. */
  boolean isTooLarge(Bucket bucket) {
    return bucket.records > 1 && (bucket.records > entries || bucket.bytes > bytes);
  }

  /** Returns the number of files into which these records are divided. */
  int parts(long records, long recordBytes) {
    long byEntries = (records + entries / 2 - 1) / Math.max(1, entries / 2);
    long byBytes = (recordBytes + bytes / 2 - 1) / Math.max(1, bytes / 2);
    long parts = Math.min(records, Math.max(byEntries, byBytes));
    return (int) Math.max(1, Math.min(BucketDivision.MOST, parts));
  }
}
