package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.benchmarks.harness.RiverMonitor;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.common.Env;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** The small paths of a queue. */
public class QueueBenchmarks {
  private static final int BATCH = 64;

  /** Messages that one invocation of a consuming benchmark takes. */
  private static final int LOT = 256 * BATCH;

  private static final int SMALL = 100;
  private static final int DRAIN_MILLIS = 100;

  private QueueBenchmarks() {}

  /**
   * Queues with default settings and the monitor on, for the life of one trial. Blocks recycle and
   * go into a backup, which keeps them for a second, so that the disk does not fill.
   */
  @State(Scope.Benchmark)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public abstract static class OfQueue {
    private final List<MessageQueue<byte[]>> queues = new ArrayList<>();
    private boolean monitored; // by an environment of its own, and not one that was there
    private @Nullable Path directory;

    /** Opens an empty queue. */
    final MessageQueue<byte[]> open() throws IOException {
      if (directory == null) {
        directory = Files.createTempDirectory("river-jmh-");
        monitored = Env.find().isEmpty();
        if (monitored) {
          RiverMonitor.start();
        }
      }
      String name = "jmh-" + queues.size();
      MessageQueue<byte[]> queue =
          MessageQueue.builder(name, MessageConverter.bytes())
              .directory(directory)
              .backup(directory.resolve("backup"), Duration.ofSeconds(1))
              .open();
      queues.add(queue);
      return queue;
    }

    /** Closes the queues. */
    @TearDown
    public void close() throws Exception {
      queues.forEach(MessageQueue::close);
      queues.clear();
      if (monitored) {
        RiverMonitor.stop();
      }
      if (directory != null) {
        Directories.delete(directory);
        directory = null;
      }
    }

    /** Publishes one lot of messages, with that many different keys; 0 for none. */
    static void fill(MessageQueue<byte[]> queue, int size, int keys) {
      List<Message<byte[]>> batch = new ArrayList<>();
      for (int i = 0; i < LOT; i++) {
        Message<byte[]> message = Message.of(new byte[size]);
        batch.add(keys == 0 ? message : message.withKey("customer-" + i % keys));
        if (batch.size() == BATCH) {
          queue.publisher().putAll(batch, Durability.MEMORY);
          batch.clear();
        }
      }
    }

    /** Takes one message, which must be there: empty polls would look fast. */
    static Delivery<byte[]> one(Subscriber<byte[]> subscriber) {
      Delivery<byte[]> delivery = subscriber.next();
      if (delivery == null) {
        throw new IllegalStateException("no message is left: " + subscriber.stats());
      }
      return delivery;
    }

    /** Takes one whole batch. */
    static List<Delivery<byte[]>> batch(Subscriber<byte[]> subscriber) throws InterruptedException {
      List<Delivery<byte[]>> deliveries = subscriber.batch(BATCH, Duration.ZERO);
      ThisJvm.check(deliveries.size() == BATCH, subscriber.stats());
      return deliveries;
    }

    static void takeAll(Subscriber<byte[]> subscriber, boolean ack, Blackhole sink) {
      for (int i = 0; i < LOT; i++) {
        Delivery<byte[]> delivery = one(subscriber);
        sink.consume(delivery.data());
        if (ack) {
          delivery.ack();
        }
      }
    }
  }

  /**
   * Publishing into memory, one by one and in batches; a subscriber acknowledges everything ten
   * times a second without reading it, so that blocks recycle and are archived meanwhile.
   */
  public static class PublishBenchmark extends OfQueue {
    /** Bytes of a message. */
    @Param({"100", "1024"})
    private int size;

    private final CountDownLatch stop = new CountDownLatch(1);
    private MonitoredThread drain;
    private Publisher<byte[]> publisher;
    private byte[] data;
    private List<byte[]> batch;

    /** Made by JMH, which sets the parameters and calls {@link #start}. */
    @SuppressWarnings("NullAway.Init")
    public PublishBenchmark() {}

    /** Opens the queue. */
    @Setup
    public void start() throws IOException {
      MessageQueue<byte[]> queue = open();
      Subscriber<byte[]> subscriber = queue.subscriber("drain");
      drain = new MonitoredThread("DRAIN", () -> drain(subscriber));
      drain.start();
      publisher = queue.publisher();
      data = new byte[size];
      batch = Collections.nCopies(BATCH, data);
    }

    private void drain(Subscriber<byte[]> subscriber) {
      try {
        while (!stop.await(DRAIN_MILLIS, TimeUnit.MILLISECONDS)) {
          subscriber.purge();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() throws Exception {
      stop.countDown();
      drain.join();
      super.close();
    }

    /** One message. */
    @Benchmark
    public long publish() {
      return publisher.publish(data);
    }

    /** A message of a batch. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long publishAll64() {
      return publisher.publishAll(batch);
    }
  }

  /**
   * Taking messages without acknowledgement, and with it. One invocation takes a whole lot; between
   * two of them, outside of the timing, the subscriber is moved back to its start. Another
   * subscriber that has read nothing keeps the lot in the log.
   */
  @OperationsPerInvocation(LOT)
  public static class ConsumeBenchmark extends OfQueue {
    /** Bytes of a message. */
    @Param({"100", "1024"})
    private int size;

    private Subscriber<byte[]> plain;
    private Subscriber<byte[]> acked;

    /** Made by JMH, which sets the parameters and calls {@link #start}. */
    @SuppressWarnings("NullAway.Init")
    public ConsumeBenchmark() {}

    /** Opens the queue with a lot of messages. */
    @Setup
    public void start() throws IOException {
      MessageQueue<byte[]> queue = open();
      queue.subscriber("keeper");
      plain = queue.subscriber("plain");
      acked = queue.subscriber(SubscriberConfig.builder("acked").ack(true).build());
      fill(queue, size, 0);
    }

    /** Moves back to the start. */
    @Setup(Level.Invocation)
    public void rewind() {
      plain.seek(Position.earliest());
      acked.seek(Position.earliest());
    }

    /** One message. */
    @Benchmark
    public void next(Blackhole sink) {
      takeAll(plain, false, sink);
    }

    /** One message and its acknowledgement. */
    @Benchmark
    public void nextAndAck(Blackhole sink) {
      takeAll(acked, true, sink);
    }

    /** A message of a batch. */
    @Benchmark
    public void batch64(Blackhole sink) throws InterruptedException {
      for (int i = 0; i < LOT; i += BATCH) {
        batch(plain).forEach(delivery -> sink.consume(delivery.data()));
      }
    }

    /** A message of a batch that is acknowledged as a whole. */
    @Benchmark
    public void batch64AndAck(Blackhole sink) throws InterruptedException {
      for (int i = 0; i < LOT; i += BATCH) {
        List<Delivery<byte[]>> deliveries = batch(acked);
        deliveries.forEach(delivery -> sink.consume(delivery.data()));
        acked.ack(deliveries);
      }
    }
  }

  /**
   * Taking and acknowledging messages of 100 bytes in the order of keys, beside which {@link
   * ConsumeBenchmark#nextAndAck} has none.
   */
  @OperationsPerInvocation(LOT)
  public static class ConsumeByKeyBenchmark extends OfQueue {
    private Subscriber<byte[]> ofOne;
    private Subscriber<byte[]> ofMany;

    /** Made by JMH, which calls {@link #start}. */
    @SuppressWarnings("NullAway.Init")
    public ConsumeByKeyBenchmark() {}

    /** Opens two queues with a lot of messages each. */
    @Setup
    public void start() throws IOException {
      ofOne = keyed(1);
      ofMany = keyed(LOT);
    }

    private Subscriber<byte[]> keyed(int keys) throws IOException {
      MessageQueue<byte[]> queue = open();
      queue.subscriber("keeper");
      Subscriber<byte[]> subscriber =
          queue.subscriber(SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build());
      fill(queue, SMALL, keys);
      return subscriber;
    }

    /** Moves back to the start. */
    @Setup(Level.Invocation)
    public void rewind() {
      ofOne.seek(Position.earliest());
      ofMany.seek(Position.earliest());
    }

    /** All others wait for one: each is read twice. */
    @Benchmark
    public void oneKey(Blackhole sink) {
      takeAll(ofOne, true, sink);
    }

    /** None waits. */
    @Benchmark
    public void manyKeys(Blackhole sink) {
      takeAll(ofMany, true, sink);
    }
  }

  /**
   * Acknowledging alone: a whole lot was delivered before, outside of the timing, and is
   * acknowledged in order. The size of the messages does not matter. What it allocates is not
   * known: JMH counts what the taking allocates with it.
   */
  @OperationsPerInvocation(LOT)
  public static class AckBenchmark extends OfQueue {
    private final List<List<Delivery<byte[]>>> batches = new ArrayList<>();
    private Subscriber<byte[]> subscriber;

    /** Made by JMH, which calls {@link #start}. */
    @SuppressWarnings("NullAway.Init")
    public AckBenchmark() {}

    /** Opens the queue with a lot of messages. */
    @Setup
    public void start() throws IOException {
      MessageQueue<byte[]> queue = open();
      queue.subscriber("keeper");
      subscriber =
          queue.subscriber(SubscriberConfig.builder("acked").ack(true).maxInFlight(LOT).build());
      fill(queue, SMALL, 0);
    }

    /** Takes them all. */
    @Setup(Level.Invocation)
    public void take() throws InterruptedException {
      subscriber.seek(Position.earliest());
      batches.clear();
      for (int i = 0; i < LOT; i += BATCH) {
        batches.add(batch(subscriber));
      }
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
}
