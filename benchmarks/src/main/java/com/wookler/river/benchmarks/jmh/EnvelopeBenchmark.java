package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What surrounds a message in the log: built, completed under the append lock, read and checked.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EnvelopeBenchmark {
  private static final int BLOCK = 7;
  private static final UUID QUEUE = new UUID(47, 11);

  /** Bytes of the one message. */
  @Param({"100", "1024"})
  private int size;

  private final DocumentWriter writer = new DocumentWriter();
  private final Stamp stamp = new Stamp(QUEUE);
  private final DocumentReader reader = new DocumentReader(QUEUE);
  private byte[] data;
  private byte[] document;
  private long sequence;

  /** Made by JMH, which sets the parameters and calls {@link #make}. */
  @SuppressWarnings("NullAway.Init")
  public EnvelopeBenchmark() {}

  /** Makes a message and its document. */
  @Setup
  public void make() {
    data = new byte[size];
    build();
    stamp();
    document = new byte[writer.length()];
    writer.memory().get(0, document);
  }

  /** Entry and checksum: what a publisher does outside the lock. */
  @Benchmark
  public int build() {
    writer.start();
    writer.add(data, null, Map.of());
    writer.finish();
    return writer.length();
  }

  /** The header: what it does under the lock, besides the copy. */
  @Benchmark
  public long stamp() {
    return stamp.stamp(writer, BLOCK, sequence++, sequence);
  }

  /** Header and message, checked. */
  @Benchmark
  public StoredMessage read() {
    reader.open(document, document.length, BLOCK);
    return reader.next();
  }
}
