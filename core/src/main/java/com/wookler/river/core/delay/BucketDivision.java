package com.wookler.river.core.delay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Writes what is left of a file into several, each with a part of the keys, so that about as much
 * goes into each. The bounds come from a sample, so the memory does not grow with the file. Used
 * once, by one thread.
 */
final class BucketDivision {
  static final int MOST = 64;

  private static final int SAMPLE = 4_096;
  private static final int BUFFER_BYTES = 64 << 10;

  private final Bucket source;
  private final Key done;
  private final List<Part> parts = new ArrayList<>();
  private final Key[] sample = new Key[SAMPLE];
  private final SplittableRandom random;
  private long live;
  private long liveBytes;

  /** Makes files. */
  interface Maker {
    BucketFile make() throws IOException;
  }

  private static final class Part {
    final Bucket bucket;
    final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    Part(Bucket bucket) {
      this.bucket = bucket;
    }

    void add(byte[] record) throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(bucket.file.adopt(record));
      if (bytes.remaining() > buffer.remaining()) {
        flush();
      }
      if (bytes.remaining() > buffer.remaining()) {
        bucket.bytes += bytes.remaining();
        bucket.file.write(bytes, bucket.bytes - record.length);
      } else {
        buffer.put(bytes);
      }
      bucket.added(1);
    }

    void flush() throws IOException {
      buffer.flip();
      int length = buffer.remaining();
      bucket.file.write(buffer, bucket.bytes);
      bucket.bytes += length;
      buffer.clear();
    }
  }

  private BucketDivision(Bucket source, Key done) {
    this.source = source;
    this.done = done;
    this.random = new SplittableRandom(source.file.number());
  }

  /**
   * Divides a file; on the device when this returns.
   *
   * @param done up to this key nothing is taken along
   * @param damage hears what is not a record
   * @return the new files in the order of keys; the first may be empty
   */
  static List<Bucket> run(
      Bucket source, Key done, DelayLimits limits, Maker maker, BucketScan.Visitor damage)
      throws IOException {
    BucketDivision division = new BucketDivision(source, done);
    try {
      division.look(damage);
      division.begin(limits, maker);
      division.copy();
    } catch (Throwable e) {
      for (Part part : division.parts) {
        part.bucket.file.delete();
      }
      throw e;
    }
    return division.parts.stream().map(part -> part.bucket).toList();
  }

  private void look(BucketScan.Visitor damage) throws IOException {
    BucketScan.run(
        source.file,
        source.bytes,
        new BucketScan.Visitor() {
          @Override
          public void record(long time, long sequence, long offset, int length) throws IOException {
            damage.record(time, sequence, offset, length);
            if (done.isBefore(time, sequence)) {
              note(new Key(time, sequence), length);
            }
          }

          @Override
          public void damaged(long from, long to) throws IOException {
            damage.damaged(from, to);
          }
        });
  }

  private void note(Key key, int length) {
    long at = live < SAMPLE ? live : random.nextLong(live + 1);
    if (at < SAMPLE) {
      sample[(int) at] = key;
    }
    live++;
    liveBytes += length;
  }

  private void begin(DelayLimits limits, Maker maker) throws IOException {
    int count = limits.parts(live, liveBytes);
    int sampled = (int) Math.min(live, SAMPLE);
    Arrays.sort(sample, 0, sampled);
    for (int i = 0; i < count; i++) {
      Key from = i == 0 ? source.from : sample[(int) ((long) sampled * i / count)];
      parts.add(new Part(new Bucket(from, maker.make(), BucketFile.HEADER_BYTES, 0)));
    }
  }

  private void copy() throws IOException {
    BucketScan.run(
        source.file,
        source.bytes,
        (time, sequence, offset, length) -> {
          if (done.isBefore(time, sequence)) {
            partOf(time, sequence).add(source.file.record(offset));
          }
        });
    for (Part part : parts) {
      part.flush();
      part.bucket.file.force();
    }
  }

  private Part partOf(long time, long sequence) {
    int at = parts.size() - 1;
    while (at > 0 && parts.get(at).bucket.from.isBehind(time, sequence)) {
      at--;
    }
    return parts.get(at);
  }
}
