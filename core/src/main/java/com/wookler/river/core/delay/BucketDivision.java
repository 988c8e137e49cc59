package com.wookler.river.core.delay;

import com.wookler.river.common.file.RecordFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Divides what still waits in a file into several files of about equal size, each with a range of
 * keys. The bounds come from a sample of the records that it visits, so the memory does not grow
 * with the file. Used once, by one thread.
 */
final class BucketDivision implements DelayedRecord.Visitor {
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

  BucketDivision(Bucket source, Key done) {
    this.source = source;
    this.done = done;
    this.random = new SplittableRandom(source.file.number());
  }

  @Override
  public void message(long time, long sequence, long offset, int size) {
    if (done.isBefore(time, sequence)) {
      sample(new Key(time, sequence), size);
    }
  }

  private void sample(Key key, int length) {
    long at = live < SAMPLE ? live : random.nextLong(live + 1);
    if (at < SAMPLE) {
      sample[(int) at] = key;
    }
    live++;
    liveBytes += length;
  }

  /**
   * Divides a file whose records were all visited into new ones, in the order of keys, on the
   * device when this returns; the first may be empty.
   */
  List<Bucket> run(DelayLimits limits, Maker maker) throws IOException {
    try {
      createParts(limits, maker);
      copy();
    } catch (Throwable e) {
      for (BucketAppender part : parts) {
        part.bucket.file.delete();
      }
      throw e;
    }
    return parts.stream().map(part -> part.bucket).toList();
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
    try (RecordFile.Reader records = source.file.reader()) {
      DelayedRecord.scan(
          source.file,
          source.bytes,
          (time, sequence, offset, length) -> {
            if (done.isBefore(time, sequence)) {
              partOf(time, sequence).add(records.record(offset));
            }
          });
    }
    for (BucketAppender part : parts) {
      part.force();
      part.commit();
    }
  }

  private BucketAppender partOf(long time, long sequence) {
    int at = parts.size() - 1;
    while (at > 0 && parts.get(at).bucket.from.isAfter(time, sequence)) {
      at--;
    }
    return parts.get(at);
  }
}
