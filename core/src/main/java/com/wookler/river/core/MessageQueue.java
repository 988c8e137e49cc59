package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.Require;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * A durable queue in this JVM: publishers append to a log on local disk, any number of subscribers
 * read it at their own speed.
 *
 * <pre>{@code
 * try (MessageQueue<String> orders =
 *     MessageQueue.builder("orders", MessageConverter.utf8()).directory(Path.of("data")).open()) {
 *   Subscriber<String> billing =
 *       orders.subscriber(SubscriberConfig.builder("billing").ack(true).build());
 *   orders.publisher().publish("order 1");
 *   Delivery<String> delivery = billing.next(Duration.ofSeconds(1));
 *   delivery.ack();
 * }
 * }</pre>
 *
 * <p>Made by the {@link #builder}, or in two steps from XML: {@link #MessageQueue()}, {@link
 * #configure}, {@link #start}. Thread-safe. One queue owns its directory; a second one, in this
 * process or another, is refused. What was published is kept until every subscriber has finished
 * it; without subscribers it is kept for good.
 *
 * @param <M> type of the data
 */
public final class MessageQueue<M> implements Configurable, AutoCloseable {
  private final Listeners listeners = new Listeners();
  private final QueueLifecycle<M> lifecycle = new QueueLifecycle<>(listeners);

  /** A queue that knows nothing yet: {@link #configure} it, then {@link #start} it. */
  public MessageQueue() {}

  private MessageQueue(QueueConfig<M> config) {
    lifecycle.configure(config);
  }

  /**
   * Starts from the defaults.
   *
   * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, not starting with a dot or hyphen
   */
  public static <M> Builder<M> builder(String name, MessageConverter<M> converter) {
    return new Builder<>(name, converter);
  }

  /**
   * Takes the settings of a {@code <queue>} element; nothing on disk is touched before {@link
   * #start}.
   *
   * @throws ConfigurationException naming file, line, element and parameter; the queue is unchanged
   * @throws IllegalStateException the queue was started or closed
   */
  @Override
  public void configure(ConfigNode node) {
    lifecycle.configure(QueueXml.read(Objects.requireNonNull(node, "node")));
  }

  /**
   * Opens the directory, recovers what the last run left, and begins to work.
   *
   * @throws com.wookler.river.core.message.QueueLockedException the directory is in use
   * @throws ConfigurationException the queue was not configured, or its settings do not fit what is
   *     on disk
   * @throws com.wookler.river.common.errors.RiverException the directory cannot be used; nothing
   *     stays open
   * @throws IllegalStateException the queue runs already or was closed
   */
  public void start() {
    lifecycle.start();
  }

  RunningQueue<M> running() {
    return lifecycle.running();
  }

  /** The queue's name; empty before it was configured. */
  public String name() {
    return lifecycle.name();
  }

  /**
   * What tells it from every other queue, also from one that had its name before it: made with its
   * directory, kept as long as that is.
   */
  public UUID identity() {
    return running().subscribers().identity();
  }

  /** Where it is in its life. */
  public QueueState state() {
    return lifecycle.state();
  }

  /** The queue's one publisher; thread-safe. */
  public Publisher<M> publisher() {
    return running().publisher();
  }

  /**
   * The subscriber of this name: the one that is open, else reopened with the settings that it had,
   * else created with defaults (without acknowledgement, from the earliest message).
   */
  public Subscriber<M> subscriber(String subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.open(subscriber));
  }

  /**
   * The subscriber with these settings, created or reopened; the same object as long as it is open.
   *
   * @throws ConfigurationException it exists and differs in ack-required, or is open with other
   *     settings
   */
  public Subscriber<M> subscriber(SubscriberConfig settings) {
    Objects.requireNonNull(settings, "settings");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.open(settings));
  }

  /** The subscribers that are open. */
  public List<Subscriber<M>> subscribers() {
    return new ArrayList<>(running().subscribers().open());
  }

  /** The names of all who have subscribed, open now or not, in alphabetical order. */
  public List<String> subscriberNames() {
    return running().subscribers().names();
  }

  /**
   * Ends a subscription: its position and its acknowledgements are deleted, and blocks no longer
   * wait for it.
   *
   * @return whether there was one
   */
  public boolean removeSubscriber(String subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    SubscriberRegistry<M> all = running().subscribers();
    return Interrupts.deferred(() -> all.remove(subscriber));
  }

  /** How far it has forwarded, also to those that are not in {@link Builder#forwardTo} any more. */
  public List<ForwardStats> forwards() {
    return running().forwarding().forwards().stats();
  }

  /** Gives up what a queue has not got that {@link Builder#forwardTo} does not name any more. */
  public boolean removeForward(String target) {
    Objects.requireNonNull(target, "target");
    Forwards all = running().forwarding().forwards();
    return Interrupts.deferred(() -> all.remove(target));
  }

  /** What the queue holds. */
  public QueueStats stats() {
    return running().stats();
  }

  /**
   * Looks a message up without a subscriber, in the log or in a backup; attempt 0, and nothing to
   * acknowledge. A delayed message is there twice: where it was published, and, from when it is due
   * on, where it took its place; {@link Delivery#sequence} is the publisher's from both.
   *
   * @param sequence the publisher's, or a {@link Delivery#place}
   * @return empty if it was never published, or is in neither
   * @throws com.wookler.river.core.message.DamagedMessageException it is damaged, also when
   *     subscribers have passed it over
   */
  public Optional<Delivery<M>> read(long sequence) {
    return read(sequence, 1).stream().findFirst();
  }

  /**
   * Likewise for several in a row: from a sequence on, up to a number, until one is missing, a
   * delayed message in both places. To read on: from the {@link Delivery#place} behind the last
   * one's.
   *
   * @param from a sequence that no message has, a negative one too, finds nothing
   * @param max 1 or more
   * @throws com.wookler.river.core.message.DamagedMessageException one of them is damaged
   */
  public List<Delivery<M>> read(long from, int max) {
    return running().read(from, Require.positive(max, "max"));
  }

  /** The first message published at or after this time, in a backup or the log; empty if none. */
  public OptionalLong sequenceAt(Instant time) {
    return running().lookup().sequenceAt(Objects.requireNonNull(time, "time"));
  }

  /**
   * The last message with this key that was published before the call and is in the log, or in a
   * backup: what {@link #read(long)} gives for it, also if it has expired, or was given up. One
   * that is delayed counts from when it is due.
   *
   * <p>Costs a few reads. Waits until what was published before is indexed, which the background
   * does within about 100 ms; where {@link Builder#keyIndex} was just turned on, or files are lost,
   * that is all it holds. Two keys of one hash, a chance in 2^64 a pair, cost a search of the log.
   *
   * @return empty if there is none
   * @throws ConfigurationException the queue has no index: {@link Builder#keyIndex}
   * @throws com.wookler.river.core.message.DamagedMessageException it is damaged. One that was so
   *     before it was indexed is passed over
   * @throws com.wookler.river.common.errors.RiverException the index cannot be read or written now
   */
  public Optional<Delivery<M>> latest(String key) {
    return running().latest(Objects.requireNonNull(key, "key"));
  }

  /**
   * Returns when everything published before, and acknowledged before, is on the device.
   *
   * @throws com.wookler.river.core.message.QueueFailedException the device refused; the queue has
   *     failed
   */
  public void force() {
    running().force();
  }

  /** Hears from now on what happens in the background. */
  public void addListener(QueueListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Closes the queue and removes its directory; backups stay. The queue is closed also if this
   * fails.
   *
   * @throws com.wookler.river.common.errors.RiverException something of the directory is left
   * @throws IllegalStateException called by a {@link QueueListener}
   */
  public void delete() {
    running();
    lifecycle.close(true);
  }

  /**
   * Closes the queue: waits for calls under way, wakes consumers that wait (they get {@link
   * QueueClosedException}), forces, which answers publishers that wait, and gives back every
   * thread, file and mapping. Idempotent. The queue is closed also if this fails.
   *
   * @throws com.wookler.river.core.message.QueueFailedException the log has failed, now or before:
   *     what was published may not be on the device
   * @throws IllegalStateException called by a {@link QueueListener}
   */
  @Override
  public void close() {
    lifecycle.close(false);
  }

  @Override
  public String toString() {
    return "MessageQueue[" + name() + ", " + state() + "]";
  }

  /**
   * Collects the settings of a queue. Not thread-safe. Settings out of their range are refused by
   * {@link #open}.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> extends QueueOptions<M, Builder<M>> {
    private Builder(String name, MessageConverter<M> converter) {
      super(name, converter);
    }

    @Override
    Builder<M> self() {
      return this;
    }

    /**
     * Makes the queue and starts it.
     *
     * @throws ConfigurationException a setting is out of its range
     * @throws com.wookler.river.core.message.QueueLockedException the directory is in use
     * @throws com.wookler.river.common.errors.RiverException the directory cannot be used
     */
    public MessageQueue<M> open() {
      MessageQueue<M> queue = new MessageQueue<>(config());
      queue.start();
      return queue;
    }
  }
}
