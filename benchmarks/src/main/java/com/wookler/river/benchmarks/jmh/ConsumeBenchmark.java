package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Taking messages without acknowledgement, and with it. One invocation takes a whole lot; between
 * two of them, outside of the timing, the subscriber is moved back to its start. Another subscriber
 * that has read nothing keeps the lot in the log.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(BenchQueue.LOT)
public class ConsumeBenchmark {
  /** Bytes of a message. */
  @Param({"100", "1024"})
  private int size;

  private BenchQueue fixture;
  private Subscriber<byte[]> plain;
  private Subscriber<byte[]> acked;

  /** Made by JMH, which sets the parameters and calls {@link #open}. */
  @SuppressWarnings("NullAway.Init")
  public ConsumeBenchmark() {}

  /** Opens the queue with a lot of messages. */
  @Setup
  public void open() throws IOException {
    fixture = new BenchQueue();
    fixture.queue().subscriber("keeper");
    plain = fixture.queue().subscriber("plain");
    acked = fixture.queue().subscriber(SubscriberConfig.builder("acked").ack(true).build());
    fixture.fill(size);
  }

  /** Back to the start. */
  @Setup(Level.Invocation)
  public void rewind() {
    plain.seek(Position.earliest());
    acked.seek(Position.earliest());
  }

  /** Closes the queue. */
  @TearDown
  public void close() throws IOException {
    fixture.close();
  }

  /** One message. */
  @Benchmark
  public void next(Blackhole sink) {
    for (int i = 0; i < BenchQueue.LOT; i++) {
      sink.consume(Taken.one(plain).data());
    }
  }

  /** One message and its acknowledgement. */
  @Benchmark
  public void nextAndAck(Blackhole sink) {
    for (int i = 0; i < BenchQueue.LOT; i++) {
      Delivery<byte[]> delivery = Taken.one(acked);
      sink.consume(delivery.data());
      delivery.ack();
    }
  }

  /** A message of a batch. */
  @Benchmark
  public void batch64(Blackhole sink) throws InterruptedException {
    for (int i = 0; i < BenchQueue.LOT; i += BenchQueue.BATCH) {
      consume(Taken.exactly(plain, BenchQueue.BATCH), sink);
    }
  }

  /** A message of a batch that is acknowledged as a whole. */
  @Benchmark
  public void batch64AndAck(Blackhole sink) throws InterruptedException {
    for (int i = 0; i < BenchQueue.LOT; i += BenchQueue.BATCH) {
      List<Delivery<byte[]>> deliveries = Taken.exactly(acked, BenchQueue.BATCH);
      consume(deliveries, sink);
      acked.ack(deliveries);
    }
  }

  private static void consume(List<Delivery<byte[]>> deliveries, Blackhole sink) {
    for (Delivery<byte[]> delivery : deliveries) {
      sink.consume(delivery.data());
    }
  }
}
