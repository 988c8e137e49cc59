package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What happens to a message in memory alone. */
public class MemoryBenchmarks {
  private MemoryBenchmarks() {}

  /** Some bytes. */
  @State(Scope.Benchmark)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public abstract static class OfSize {
    /** Bytes, and characters, of what is handled. */
    @Param({"100", "1024"})
    protected int size;
  }

  /** The JDK's CRC32C, over an array as readers use it and over direct memory as publishers do. */
  public static class ChecksumBenchmark extends OfSize {
    private final CRC32C crc = new CRC32C();
    private byte[] array = new byte[0];
    private ByteBuffer memory = ByteBuffer.allocate(0);

    /** Makes the bytes. */
    @Setup
    public void make() {
      array = new byte[size];
      memory = ByteBuffer.allocateDirect(size);
    }

    /** Of an array. */
    @Benchmark
    public long crc32cOfArray() {
      crc.reset();
      crc.update(array, 0, array.length);
      return crc.getValue();
    }

    /** Of direct memory. */
    @Benchmark
    public long crc32cOfMemory() {
      crc.reset();
      crc.update(memory.position(0));
      return crc.getValue();
    }
  }

  /**
   * The converters for text, here an event in JSON, and for bytes, which shows what the measuring
   * itself costs.
   */
  public static class ConverterBenchmark extends OfSize {
    private static final String START = "{\"id\":4711,\"type\":\"order\",\"note\":\"";
    private static final String END = "\"}";

    private final MessageConverter<String> utf8 = MessageConverter.utf8();
    private final MessageConverter<byte[]> raw = MessageConverter.bytes();
    private String text = "";
    private byte[] bytes = new byte[0];

    /** Makes the event. */
    @Setup
    public void make() {
      text = START + "n".repeat(size - START.length() - END.length()) + END;
      bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Text to bytes. */
    @Benchmark
    public byte[] utf8ToBytes() {
      return utf8.toBytes(text);
    }

    /** Bytes to text. */
    @Benchmark
    public String utf8FromBytes() {
      return utf8.fromBytes(bytes);
    }

    /** Bytes there and back. */
    @Benchmark
    public byte[] bytes() {
      return raw.fromBytes(raw.toBytes(bytes));
    }
  }

  /** What surrounds a message in the log: built, completed under the append lock, read, checked. */
  public static class EnvelopeBenchmark extends OfSize {
    private static final int BLOCK = 7;
    private static final UUID QUEUE = new UUID(47, 11);

    private final DocumentWriter writer = new DocumentWriter();
    private final Stamp stamp = new Stamp(QUEUE);
    private final DocumentReader reader = new DocumentReader(QUEUE);
    private byte[] data = new byte[0];
    private byte[] document = new byte[0];
    private long sequence;

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
}
