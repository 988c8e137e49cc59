package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.message.MessageConverter;
import java.nio.charset.StandardCharsets;
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
 * The converters for text, here an event in JSON of so many characters, and for bytes, which shows
 * what the measuring itself costs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ConverterBenchmark {
  private static final String START = "{\"id\":4711,\"type\":\"order\",\"note\":\"";
  private static final String END = "\"}";

  /** Bytes, and characters, of an event. */
  @Param({"100", "1024"})
  private int size;

  private final MessageConverter<String> utf8 = MessageConverter.utf8();
  private final MessageConverter<byte[]> raw = MessageConverter.bytes();
  private String text;
  private byte[] bytes;

  /** Made by JMH, which sets the parameters and calls {@link #make}. */
  @SuppressWarnings("NullAway.Init")
  public ConverterBenchmark() {}

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
