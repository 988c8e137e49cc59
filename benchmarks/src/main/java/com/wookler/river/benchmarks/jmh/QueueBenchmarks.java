package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.common.Env;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.opentelemetry.RiverTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

/** The small paths of a queue. */
@SuppressWarnings("NullAway.Init") // JMH sets the parameters, and calls the methods that set up
public class QueueBenchmarks {
  private static final int BATCH = 64;

  /** Messages that one invocation of a consuming benchmark takes. */
  private static final int LOT = 256 * BATCH;

  private QueueBenchmarks() {}

  /**
   * A queue with default settings and the monitor on, for the life of one trial. Blocks recycle and
   * go into a backup, which keeps them for a second, so that the disk does not fill.
   */
  @State(Scope.Benchmark)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public abstract static class OfQueue {
    protected MessageQueue<byte[]> queue;
    private boolean monitored; // by an environment of its own, and not one that was there
    private Path directory;

    /** Opens the queue and what works with it. */
    @Setup
    public final void open() throws IOException {
      directory = ThisJvm.createDirectory(null);
      monitored = Env.find().isEmpty();
      if (monitored) {
        ThisJvm.startMonitor();
      }
      queue =
          MessageQueue.builder("jmh", MessageConverter.bytes())
              .directory(directory)
              .backup(directory.resolve("backup"), Duration.ofSeconds(1))
              .open();
      start();
    }

    abstract void start();

    /** Closes the queue. */
    @TearDown
    public void close() throws Exception {
      queue.close();
      if (monitored) {
        Env.reset();
      }
      ThisJvm.delete(directory);
    }

    /** Publishes one lot of messages, which a subscriber that reads nothing keeps in the log. */
    final void fill(int size) {
      queue.subscriber("keeper");
      List<byte[]> batch = Collections.nCopies(BATCH, new byte[size]);
      for (int i = 0; i < LOT; i += BATCH) {
        queue.publisher().publishAll(batch);
      }
    }

    /** Takes one whole batch, which must be there: empty polls would look fast. */
    static List<Delivery<byte[]>> batch(Subscriber<byte[]> subscriber) throws InterruptedException {
      List<Delivery<byte[]>> deliveries = subscriber.batch(BATCH, Duration.ZERO);
      ThisJvm.check(deliveries.size() == BATCH, subscriber.stats());
      return deliveries;
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

    @Override
    void start() {
      Subscriber<byte[]> subscriber = queue.subscriber("drain");
      drain = new MonitoredThread("DRAIN", () -> drain(subscriber));
      drain.start();
      publisher = queue.publisher();
      data = new byte[size];
      batch = Collections.nCopies(BATCH, data);
    }

    private void drain(Subscriber<byte[]> subscriber) {
      try {
        while (!stop.await(100, TimeUnit.MILLISECONDS)) {
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
   * two of them, outside of the timing, the subscriber is moved back to its start.
   */
  @OperationsPerInvocation(LOT)
  public static class ConsumeBenchmark extends OfQueue {
    /** Bytes of a message. */
    @Param({"100", "1024"})
    private int size;

    private Subscriber<byte[]> plain;
    private Subscriber<byte[]> acked;

    @Override
    void start() {
      plain = queue.subscriber("plain");
      acked = queue.subscriber(SubscriberConfig.builder("acked").ack(true).build());
      fill(size);
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

    private static void takeAll(Subscriber<byte[]> subscriber, boolean ack, Blackhole sink) {
      for (int i = 0; i < LOT; i++) {
        Delivery<byte[]> delivery = subscriber.next();
        if (delivery == null) {
          throw new IllegalStateException("no message is left: " + subscriber.stats());
        }
        sink.consume(delivery.data());
        if (ack) {
          delivery.ack();
        }
      }
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
   * Acknowledging alone: a whole lot was delivered before, outside of the timing, and is
   * acknowledged in order. The size of the messages does not matter.
   */
  @OperationsPerInvocation(LOT)
  public static class AckBenchmark extends OfQueue {
    private final List<List<Delivery<byte[]>>> batches = new ArrayList<>();
    private Subscriber<byte[]> subscriber;

    @Override
    void start() {
      subscriber =
          queue.subscriber(SubscriberConfig.builder("acked").ack(true).maxInFlight(LOT).build());
      fill(100);
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
      batches.forEach(batch -> batch.forEach(Delivery::ack));
    }

    /** A message of a batch that is acknowledged as a whole. */
    @Benchmark
    public void ack64() {
      batches.forEach(subscriber::ack);
    }
  }

  /**
   * What OpenTelemetry's interceptor adds to a publish where the application has its API and no
   * SDK. The size of the message does not matter.
   */
  @State(Scope.Thread)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public static class TracingBenchmark {
    private final PublishInterceptor<byte[]> tracing =
        RiverTelemetry.create(OpenTelemetry.noop()).publishing();
    private final Message<byte[]> message = Message.of(new byte[100]);
    private final Span remote =
        Span.wrap(
            SpanContext.create(
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                TraceFlags.getSampled(),
                TraceState.getDefault()));
    private io.opentelemetry.context.Scope scope;

    /** Makes a trace current, or none. */
    @Param({"false", "true"})
    private boolean traced;

    /** Begins. */
    @Setup
    @SuppressWarnings("MustBeClosedChecker") // end() closes it
    public void begin() {
      scope = (traced ? remote : Span.getInvalid()).makeCurrent();
    }

    /** Ends. */
    @TearDown
    public void end() {
      scope.close();
    }

    /** One message. */
    @Benchmark
    public Message<byte[]> intercept() {
      return tracing.intercept("jmh", message);
    }
  }
}
