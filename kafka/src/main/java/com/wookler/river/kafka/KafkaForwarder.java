package com.wookler.river.kafka;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the messages of a queue to a topic of Apache Kafka: in order, and each exactly once,
 * also if this process, a broker or the machine ends at any moment.
 *
 * <pre>{@code
 * KafkaForwarder<Order> forwarder =
 *     KafkaForwarder.builder(queue, Map.of("bootstrap.servers", "kafka:9092"))
 *         .subscriber("to-kafka")
 *         .topic("orders")
 *         .start();
 * }</pre>
 *
 * <p>It works on a thread of its own and is the only consumer of its subscriber. While no broker
 * can be reached messages wait in the queue, for as long as its limits allow, their attempts do not
 * rise, and it tries again for ever. A message that Kafka refuses, one that is too large perhaps,
 * becomes a dead letter of the subscriber, and the others are sent. It ends when its queue is
 * closed.
 *
 * <p><b>Exactly once</b> ({@link Guarantee#EXACTLY_ONCE}, the default) the messages and the
 * position after them are one transaction, so consumers have to read with {@code
 * isolation.level=read_committed}. The transactional id and the group that holds the position are
 * {@code river-}, the queue's identity, and the subscriber's name. Of two forwarders with the same
 * one, as where a directory was copied, the later one shuts the other out, which ends for good with
 * an error that names it; but a copy that does not have what Kafka has ends for good itself. What
 * the topic has is not sent again when the subscriber is moved back.
 *
 * <p>A record has the message's key, data and headers, the time at which it was published, and the
 * headers {@code river-queue} (name and identity of the queue), {@code river-sequence} (8 bytes)
 * and {@code river-id}, if the message has an id. Messages of one key keep their order; those
 * without a key keep it in a topic with one partition.
 *
 * <p>Thread-safe.
 *
 * @param <M> type of the data
 */
public final class KafkaForwarder<M> implements AutoCloseable {
  private static final TransferReport.Names COUNTERS =
      new TransferReport.Names("river.counters.kafka", "sent", "rejected");

  private static final Duration ACK_TIMEOUT = Duration.ofHours(1);

  private final String name;
  private final ForwardLoop<M> loop;
  private final MonitoredThread thread;
  private final TransferReport report;
  private final AtomicBoolean closed = new AtomicBoolean();

  private KafkaForwarder(Builder<M> from, ForwardLoop.Parts<M> parts) {
    this.name = from.queue.name();
    this.loop = new ForwardLoop<>(from, parts);
    this.thread = new MonitoredThread("RIVER-kafka-" + name, loop);
    this.report = new TransferReport(from.queue, loop::transfer, COUNTERS, loop.state(), from.time);
  }

  /**
   * Creates a builder with the default settings.
   *
   * @param queue a queue that runs
   * @param properties Kafka's own, of producers and of all clients: {@code bootstrap.servers} at
   *     least. Those that the guarantee rests on are refused: {@code transactional.id}, {@code
   *     acks}, {@code enable.idempotence}, serializers, {@code group.id} and {@code
   *     isolation.level}
   */
  public static <M> Builder<M> builder(MessageQueue<M> queue, Map<String, ?> properties) {
    return new Builder<>(queue, properties);
  }

  /** Returns whether the last try failed, so that messages wait in the queue. */
  public boolean isAway() {
    return loop.isAway();
  }

  /** Returns since when messages cannot be transferred; null if they can. */
  public @Nullable Instant awaySince() {
    return loop.state().since();
  }

  /**
   * Returns the place ({@link Delivery#place}) of the next message that is transferred: the topic
   * has everything before it, but for dead letters.
   */
  public long position() {
    return loop.position();
  }

  /** Returns what it has done, and what waits for it. */
  public KafkaForwarderStats stats() {
    return loop.stats();
  }

  /** Ends it, as {@link #close(Duration)} within ten seconds. Idempotent. */
  @Override
  public void close() {
    close(LoopThread.GRACE);
  }

  /**
   * Ends it: the batch that is being transferred is completed. The queue and the subscriber stay
   * open. Idempotent.
   *
   * @param wait after which a call to Kafka that hangs is interrupted; the next forwarder finds out
   *     whether that batch is in the topic
   */
  public void close(Duration wait) {
    loop.stop();
    LoopThread.end(thread, wait);
    if (closed.compareAndSet(false, true)) {
      report.close();
    }
  }

  @Override
  public String toString() {
    return "KafkaForwarder[queue " + name + ", position " + position() + "]";
  }

  /**
   * Collects the settings of a forwarder. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final MessageQueue<M> queue;
    private final Map<String, Object> properties;
    private Settings settings = ForwarderOptions.TABLE.defaults();
    private @Nullable Function<? super Delivery<M>, @Nullable String> topics;
    private TimeSource time = TimeSource.system();

    private Builder(MessageQueue<M> queue, Map<String, ?> properties) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.properties = new HashMap<>(properties);
    }

    MessageQueue<M> queue() {
      return queue;
    }

    TimeSource time() {
      return time;
    }

    <T> T get(Option<T> option) {
      return settings.get(option);
    }

    @CanIgnoreReturnValue
    Builder<M> settings(Settings all) {
      settings = all;
      return this;
    }

    @CanIgnoreReturnValue
    private <T> Builder<M> set(Option<T> option, T value) {
      settings = settings.with(option, value);
      return this;
    }

    /**
     * Sets the subscriber (default {@code kafka}), which is made with acknowledgement if there is
     * none. One that there is must acknowledge, in the order of sequences and without a delivery
     * limit.
     */
    @CanIgnoreReturnValue
    public Builder<M> subscriber(String name) {
      return set(ForwarderOptions.SUBSCRIBER, Objects.requireNonNull(name, "name"));
    }

    /** Sets the topic (default: the name of the queue). */
    @CanIgnoreReturnValue
    public Builder<M> topic(String name) {
      return set(ForwarderOptions.TOPIC, Objects.requireNonNull(name, "name"));
    }

    /**
     * Sets what chooses the topic of each message. Where it throws, or returns no name, the message
     * becomes a dead letter; while a topic that it names does not exist, all messages wait.
     *
     * @param chooses called on the forwarder's thread; must be quick
     * @param anchor a topic that exists, whatever it chooses, and that holds the position
     */
    @CanIgnoreReturnValue
    public Builder<M> topic(
        Function<? super Delivery<M>, @Nullable String> chooses, String anchor) {
      topics = Objects.requireNonNull(chooses, "chooses");
      return topic(anchor);
    }

    /** Sets the guarantee (default {@link Guarantee#EXACTLY_ONCE}). */
    @CanIgnoreReturnValue
    public Builder<M> guarantee(Guarantee wanted) {
      return set(ForwarderOptions.GUARANTEE, Objects.requireNonNull(wanted, "wanted"));
    }

    /** Sets how many messages (default 5,000) and bytes (8 MB) one transaction has at most. */
    @CanIgnoreReturnValue
    public Builder<M> batch(int messages, long bytes) {
      return batchMessages(messages).batchBytes(bytes);
    }

    /** Sets how many messages one transaction has at most (default 5,000). */
    @CanIgnoreReturnValue
    public Builder<M> batchMessages(int messages) {
      return set(ForwarderOptions.BATCH_MESSAGES, (long) messages);
    }

    /** Sets how many bytes of data one transaction has at most (default 8 MB). */
    @CanIgnoreReturnValue
    public Builder<M> batchBytes(long bytes) {
      return set(ForwarderOptions.BATCH_BYTES, bytes);
    }

    /** Sets the pause after a failure (default 5 s). */
    @CanIgnoreReturnValue
    public Builder<M> pause(Duration length) {
      return set(ForwarderOptions.PAUSE, Objects.requireNonNull(length, "length"));
    }

    @CanIgnoreReturnValue
    Builder<M> timeSource(TimeSource source) {
      time = source;
      return this;
    }

    /**
     * Starts a forwarder. It returns at once: a broker that is away, or a topic that is missing, is
     * reported by {@link #isAway}, the stats and the log.
     *
     * @throws ConfigurationException a setting is out of its range, a property is refused, or the
     *     subscriber that there is does not fit
     */
    public KafkaForwarder<M> start() {
      settings.check("the forwarder of queue " + queue.name());
      String subscriberName = settings.get(ForwarderOptions.SUBSCRIBER);
      String found = settings.find(ForwarderOptions.TOPIC);
      String topic = found == null ? queue.name() : found;
      Guarantee guarantee = settings.get(ForwarderOptions.GUARANTEE);
      ForwardProperties checked =
          ForwardProperties.of(
              properties, guarantee, "river-" + queue.identity() + "-" + subscriberName);
      Subscriber<M> subscriber = open(subscriberName);
      Owner owner = Owner.of(time);
      Supplier<ForwardSession> sessions =
          guarantee == Guarantee.EXACTLY_ONCE
              ? () -> new ExactlyOnceSession(queue, checked, topic, owner, time)
              : () -> new AtLeastOnceSession(queue, checked, topic);
      Function<? super Delivery<M>, @Nullable String> chooses = topics;
      RecordMapper<M> mapper =
          new RecordMapper<>(queue, chooses == null ? each -> topic : chooses, subscriber.origin());
      BrokerProbe probe = new BrokerProbe(checked.servers());
      KafkaForwarder<M> forwarder =
          new KafkaForwarder<>(
              this, new ForwardLoop.Parts<>(subscriber, topic, mapper, sessions, probe));
      forwarder.thread.start();
      return forwarder;
    }

    private Subscriber<M> open(String subscriberName) {
      if (!queue.subscriberNames().contains(subscriberName)) {
        return queue.subscriber(
            SubscriberConfig.builder(subscriberName).ack(true).ackTimeout(ACK_TIMEOUT).build());
      }
      Subscriber<M> subscriber = queue.subscriber(subscriberName);
      SubscriberConfig config = subscriber.config();
      if (!config.ackRequired() || config.order() == Order.KEY || config.maxDeliveries() > 0) {
        throw new ConfigurationException(
            String.format(
                "queue %s, subscriber %s: forwarding to Kafka needs acknowledgement"
                    + " (subscriber.ack.required), the order of sequences, and no delivery limit"
                    + " (subscriber.max.deliveries)",
                queue.name(), subscriberName));
      }
      return subscriber;
    }
  }
}
