package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Acknowledging alone: a whole lot was handed over before, outside of the timing, and is
 * acknowledged in order. The size of the messages does not matter. What it allocates cannot be
 * told: JMH counts what the taking allocates with it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(BenchQueue.LOT)
public class AckBenchmark {
  private static final int SIZE = 100;

  private final List<List<Delivery<byte[]>>> batches = new ArrayList<>();
  private BenchQueue fixture;
  private Subscriber<byte[]> subscriber;

  /** Made by JMH, which calls {@link #open}. */
  @SuppressWarnings("NullAway.Init")
  public AckBenchmark() {}

  /** Opens the queue with a lot of messages. */
  @Setup
  public void open() throws IOException {
    fixture = new BenchQueue();
    fixture.queue().subscriber("keeper");
    subscriber =
        fixture
            .queue()
            .subscriber(
                SubscriberConfig.builder("acked").ack(true).maxInFlight(BenchQueue.LOT).build());
    fixture.fill(SIZE);
  }

  /** Takes them all. */
  @Setup(Level.Invocation)
  public void take() throws InterruptedException {
    subscriber.seek(Position.earliest());
    batches.clear();
    for (int i = 0; i < BenchQueue.LOT; i += BenchQueue.BATCH) {
      batches.add(Taken.exactly(subscriber, BenchQueue.BATCH));
    }
  }

  /** Closes the queue. */
  @TearDown
  public void close() throws IOException {
    fixture.close();
  }

  /** One message. */
  @Benchmark
  public void ack() {
    for (List<Delivery<byte[]>> batch : batches) {
      for (Delivery<byte[]> delivery : batch) {
        delivery.ack();
      }
    }
  }

  /** A message of a batch that is acknowledged as a whole. */
  @Benchmark
  public void ack64() {
    for (List<Delivery<byte[]>> batch : batches) {
      subscriber.ack(batch);
    }
  }
}
