package com.wookler.river.benchmarks.jmh;

import java.nio.ByteBuffer;
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

/** The JDK's CRC32C, over an array as readers use it and over direct memory as publishers do. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChecksumBenchmark {
  /** Bytes. */
  @Param({"100", "1024"})
  private int size;

  private final CRC32C crc = new CRC32C();
  private byte[] array;
  private ByteBuffer memory;

  /** Made by JMH, which sets the parameters and calls {@link #make}. */
  @SuppressWarnings("NullAway.Init")
  public ChecksumBenchmark() {}

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
