package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.Publisher;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Publishing into memory, one by one and in batches; blocks recycle and are archived meanwhile. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PublishBenchmark {
  /** Bytes of a message. */
  @Param({"100", "1024"})
  private int size;

  private BenchQueue fixture;
  private Drain drain;
  private Publisher<byte[]> publisher;
  private byte[] data;
  private List<byte[]> batch;

  /** Made by JMH, which sets the parameters and calls {@link #open}. */
  @SuppressWarnings("NullAway.Init")
  public PublishBenchmark() {}

  /** Opens the queue. */
  @Setup
  public void open() throws IOException {
    fixture = new BenchQueue();
    drain = new Drain(fixture.queue());
    publisher = fixture.queue().publisher();
    data = new byte[size];
    batch = Collections.nCopies(BenchQueue.BATCH, data);
  }

  /** Closes it. */
  @TearDown
  public void close() throws IOException, InterruptedException {
    drain.end();
    fixture.close();
  }

  /** One message. */
  @Benchmark
  public long publish() {
    return publisher.publish(data);
  }

  /** A message of a batch. */
  @Benchmark
  @OperationsPerInvocation(BenchQueue.BATCH)
  public long publishAll64() {
    return publisher.publishAll(batch);
  }
}
