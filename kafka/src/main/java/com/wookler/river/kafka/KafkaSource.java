package com.wookler.river.kafka;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Stores the records of topics of Apache Kafka in a queue: those of each partition in order, and
 * each exactly once, also if this process, a broker or the machine ends at any moment.
 *
 * <pre>{@code
 * KafkaSource<Order> source =
 *     KafkaSource.builder(queue, Map.of("bootstrap.servers", "kafka:9092"))
 *         .topics("orders")
 *         .start();
 * }</pre>
 *
 * <p>Each partition is an {@link com.wookler.river.core.Origin} of the queue, which remembers the
 * highest offset that it has, for ever: the source continues after that, whatever offset the group
 * has. The origin is named by the topic's identity, so a topic that was deleted and made again is
 * read from its beginning. Records of transactions that were aborted are not stored, and holes in
 * the offsets are none in the queue. Offsets are committed once their records are on the device.
 *
 * <p>The group is the queue's own, {@code river-} and its identity, unless {@code group.id} is
 * given. Queues of several processes may share one; then each partition's records go to one of
 * them, and those that a process has stored and not committed when it is killed, of about a second,
 * are stored by its successor, too.
 *
 * <p>A message has the record's key and headers, and the headers {@code kafka-place} (topic,
 * partition and offset) and {@code kafka-time} (milliseconds, 8 bytes). A key that is not UTF-8
 * becomes Base64, and is in the header {@code kafka-key}. A record without a value becomes a
 * message without data.
 *
 * <p>It works on a thread of its own. While no broker can be reached, or the queue is full, it
 * tries again for ever. It ends when its queue is closed. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class KafkaSource<M> implements AutoCloseable {
  private static final TransferReport.Names COUNTERS =
      new TransferReport.Names("river.counters.kafka.source", "stored", "refused");

  private final MessageQueue<M> queue;
  private final SourceLoop loop;
  private final SourceCounts counts;
  private final MonitoredThread thread;
  private final TransferReport report;
  private final AtomicBoolean closed = new AtomicBoolean();

  private KafkaSource(
      MessageQueue<M> queue, List<String> topics, SourceLoop loop, SourceCounts counts) {
    this.queue = queue;
    this.loop = loop;
    this.counts = counts;
    this.thread = new MonitoredThread("RIVER-kafka-source-" + queue.name(), loop);
    String target = String.join(",", topics);
    this.report =
        new TransferReport(
            queue, () -> transfer(target), COUNTERS, loop.state(), TimeSource.system());
  }

  private TransferStats transfer(String target) {
    String failure = loop.state().failure();
    return new TransferStats(
        "KAFKA_SOURCE",
        target,
        null,
        0,
        counts.lag().get(),
        counts.stored().get(),
        counts.refused().get(),
        failure == null ? "" : failure,
        loop.state().since(),
        loop.isStopped());
  }

  /**
   * Creates a builder with the default settings.
   *
   * @param queue a queue that runs
   * @param properties Kafka's own, of consumers: {@code bootstrap.servers} at least. Deserializers
   *     and {@code enable.auto.commit} are refused; {@code isolation.level} is {@code
   *     read_committed} and {@code auto.offset.reset} is {@code earliest} unless they are given
   */
  public static <M> Builder<M> builder(MessageQueue<M> queue, Map<String, ?> properties) {
    return new Builder<>(queue, properties);
  }

  /** Returns whether the last try failed, or the queue is full, so that records wait in Kafka. */
  public boolean isAway() {
    return loop.isAway();
  }

  /** Returns since when records cannot be transferred; null if they can. */
  public @Nullable Instant awaySince() {
    return loop.state().since();
  }

  /** Returns what it has done. */
  public KafkaSourceStats stats() {
    return new KafkaSourceStats(
        counts.stored().get(),
        counts.skipped().get(),
        counts.refused().get(),
        counts.lag().get(),
        loop.state().failures(),
        loop.state().failure(),
        loop.state().since(),
        loop.isStopped());
  }

  /**
   * Ends it: the offsets of what it has stored are committed. The queue stays open. A call to Kafka
   * that hangs is interrupted after ten seconds. Idempotent.
   */
  @Override
  public void close() {
    loop.stop();
    LoopThread.end(thread, LoopThread.GRACE);
    if (closed.compareAndSet(false, true)) {
      report.close();
    }
  }

  @Override
  public String toString() {
    return "KafkaSource[queue " + queue.name() + "]";
  }

  /**
   * Collects the settings of a source. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final MessageQueue<M> queue;
    private final Map<String, Object> properties;
    private List<String> topics = List.of();
    private Duration pause = Duration.ofSeconds(5);
    private @Nullable BiConsumer<ConsumerRecord<byte[], byte[]>, Exception> refused;

    private Builder(MessageQueue<M> queue, Map<String, ?> properties) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.properties = new HashMap<>(properties);
    }

    /** Sets the topics. */
    @CanIgnoreReturnValue
    public Builder<M> topics(String... names) {
      topics = List.of(names);
      return this;
    }

    /** Sets the pause after a failure (default 5 s). */
    @CanIgnoreReturnValue
    public Builder<M> pause(Duration length) {
      pause = Objects.requireNonNull(length, "length");
      return this;
    }

    /**
     * Sets what becomes of a record that the converter cannot read or the queue refuses: it is left
     * out once this returns. By default such a record, and those after it, wait in Kafka, and the
     * source is away.
     *
     * @param handler called on the source's thread; if it throws, the record waits
     */
    @CanIgnoreReturnValue
    public Builder<M> onRefused(BiConsumer<ConsumerRecord<byte[], byte[]>, Exception> handler) {
      refused = Objects.requireNonNull(handler, "handler");
      return this;
    }

    /**
     * Starts a source. It returns at once: a broker that is away, or a topic that is missing, is
     * reported by {@link #isAway}, the stats and the log.
     *
     * @throws ConfigurationException there is no topic, or a property is refused
     */
    public KafkaSource<M> start() {
      if (topics.isEmpty()) {
        throw new ConfigurationException("the source of queue " + queue.name() + " has no topic");
      }
      SourceProperties checked = SourceProperties.of(properties, "river-" + queue.identity());
      SourceCounts counts = new SourceCounts();
      BiConsumer<ConsumerRecord<byte[], byte[]>, Exception> handler = refused;
      SourceLoop loop =
          new SourceLoop(
              queue,
              topics,
              () -> new SourceSession<>(queue, checked, counts, handler),
              new BrokerProbe(checked.servers()),
              pause,
              TimeSource.system());
      KafkaSource<M> source = new KafkaSource<>(queue, topics, loop, counts);
      source.thread.start();
      return source;
    }
  }
}
