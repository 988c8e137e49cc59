package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Consume by key: taking and acknowledging messages of 100 bytes in the order of keys, beside which
 * {@link ConsumeBenchmark#nextAndAck} has none.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(BenchQueue.LOT)
public class ConsumeByKeyBenchmark {
  private static final int SIZE = 100;

  private BenchQueue one;
  private BenchQueue many;
  private Subscriber<byte[]> ofOne;
  private Subscriber<byte[]> ofMany;

  /** Made by JMH, which calls {@link #open}. */
  @SuppressWarnings("NullAway.Init")
  public ConsumeByKeyBenchmark() {}

  /** Opens two queues with a lot of messages each. */
  @Setup
  public void open() throws IOException {
    one = new BenchQueue();
    many = new BenchQueue();
    ofOne = subscriber(one);
    ofMany = subscriber(many);
    fill(one, 1);
    fill(many, BenchQueue.LOT);
  }

  private static Subscriber<byte[]> subscriber(BenchQueue fixture) {
    fixture.queue().subscriber("keeper");
    return fixture
        .queue()
        .subscriber(SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build());
  }

  private static void fill(BenchQueue fixture, int keys) {
    List<Message<byte[]>> batch = new ArrayList<>();
    for (int i = 0; i < BenchQueue.LOT; i++) {
      batch.add(Message.of(new byte[SIZE]).withKey("customer-" + i % keys));
      if (batch.size() == BenchQueue.BATCH) {
        fixture.queue().publisher().putAll(batch, Durability.MEMORY);
        batch.clear();
      }
    }
  }

  /** Back to the start. */
  @Setup(Level.Invocation)
  public void rewind() {
    ofOne.seek(Position.earliest());
    ofMany.seek(Position.earliest());
  }

  /** Closes the queues. */
  @TearDown
  public void close() throws IOException {
    one.close();
    many.close();
  }

  /** All others wait for one: each is read twice. */
  @Benchmark
  public void oneKey(Blackhole sink) {
    takeAll(ofOne, sink);
  }

  /** None waits. */
  @Benchmark
  public void manyKeys(Blackhole sink) {
    takeAll(ofMany, sink);
  }

  private static void takeAll(Subscriber<byte[]> subscriber, Blackhole sink) {
    for (int i = 0; i < BenchQueue.LOT; i++) {
      Delivery<byte[]> delivery = Taken.one(subscriber);
      sink.consume(delivery.data());
      delivery.ack();
    }
  }
}
