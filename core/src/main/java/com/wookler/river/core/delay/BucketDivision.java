package com.wookler.river.core.delay;

import com.wookler.river.core.file.RecordFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Divides what still waits in a file into several files of about equal size, each with a range of
 * keys. The bounds come from a sample, so the memory does not grow with the file. Used once, by one
 * thread.
 */
final class BucketDivision {
  static final int MOST = 64;

  private static final int SAMPLE = 4_096;
  private static final int BUFFER_BYTES = 64 << 10;

  private final Bucket source;
  private final Key done;
  private final List<BucketAppender> parts = new ArrayList<>();
  private final Key[] sample = new Key[SAMPLE];
  private final SplittableRandom random;
  private long live;
  private long liveBytes;

  interface Maker {
    RecordFile make() throws IOException;
  }

  private BucketDivision(Bucket source, Key done) {
    this.source = source;
    this.done = done;
    this.random = new SplittableRandom(source.file.number());
  }

  /**
   * Divides a file. The new files are on the device when this returns.
   *
   * @param done messages up to this key are left out
   * @param damage of the file, which it scans
   * @return the new files in the order of keys; the first may be empty
   */
  static List<Bucket> run(
      Bucket source, Key done, DelayLimits limits, Maker maker, DamageReport damage)
      throws IOException {
    BucketDivision division = new BucketDivision(source, done);
    try {
      division.readSample(damage);
      division.createParts(limits, maker);
      division.copy();
    } catch (Throwable e) {
      for (BucketAppender part : division.parts) {
        part.bucket.file.delete();
      }
      throw e;
    }
    return division.parts.stream().map(part -> part.bucket).toList();
  }

  private void readSample(DamageReport damage) throws IOException {
    damage.scan(
        (time, sequence, offset, length) -> {
          if (done.isBefore(time, sequence)) {
            sample(new Key(time, sequence), length);
          }
        });
  }

  private void sample(Key key, int length) {
    long at = live < SAMPLE ? live : random.nextLong(live + 1);
    if (at < SAMPLE) {
      sample[(int) at] = key;
    }
    live++;
    liveBytes += length;
  }

  private void createParts(DelayLimits limits, Maker maker) throws IOException {
    int count = limits.parts(live, liveBytes);
    int sampled = (int) Math.min(live, SAMPLE);
    Arrays.sort(sample, 0, sampled);
    for (int i = 0; i < count; i++) {
      Key from = i == 0 ? source.from : sample[(int) ((long) sampled * i / count)];
      Bucket part = new Bucket(from, maker.make(), DelayedRecord.HEADER_BYTES, 0);
      parts.add(new BucketAppender(part, ByteBuffer.allocate(BUFFER_BYTES)));
    }
  }

  private void copy() throws IOException {
    DelayedRecord.scan(
        source.file,
        source.bytes,
        (time, sequence, offset, length) -> {
          if (done.isBefore(time, sequence)) {
            BucketAppender part = partOf(time, sequence);
            part.add(source.file.record(offset));
          }
        });
    for (BucketAppender part : parts) {
      part.force();
      part.commit();
    }
  }

  private BucketAppender partOf(long time, long sequence) {
    int at = parts.size() - 1;
    while (at > 0 && parts.get(at).bucket.from.isBehind(time, sequence)) {
      at--;
    }
    return parts.get(at);
  }
}
