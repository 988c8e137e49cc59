package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.reactor.DeliverySource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group, with the records of its partitions that are not completed. A batch
 * has at most one message of a key, and a key whose message waits for a further delivery is locked.
 * Confined to one thread.
 *
 * @param <M> type of the data
 */
final class GroupConsumer<M> implements DeliverySource.Consumer<M>, ConsumerRebalanceListener {
  /** The most messages of a partition that are held, about. */
  static final int WINDOW = 1_000;

  /** The most bytes of a partition that are held, about: what the next fetch has comes to it. */
  static final long WINDOW_BYTES = 16 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(GroupConsumer.class);
  private static final int DEFAULT_POLL_MILLIS = 300_000;
  private static final long LONG_NANOS = Duration.ofMillis(500).toNanos();
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final GroupSource<M> source;
  private final int max;
  private final TimeSource time = TimeSource.system();
  private final Consumer<byte[], byte[]> consumer;
  private final DeadLetterTopic deadLetters;
  private final Map<TopicPartition, Deque<HeldRecord>> held = new HashMap<>();
  private final Map<TopicPartition, Long> ends = new HashMap<>(); // after the last record read
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private List<HeldRecord> batch = List.of();
  private long polledNanos = time.nanoTime();
  private long dead; // letters that were written
  private int turn; // of the partition from which the next batch takes first

  GroupConsumer(
      GroupSource<M> source,
      int max,
      Consumer<byte[], byte[]> consumer,
      DeadLetterTopic deadLetters) {
    this.source = source;
    this.max = max;
    this.consumer = consumer;
    this.deadLetters = deadLetters;
    consumer.subscribe(List.of(source.settings().topic()), this);
  }

  static <M> GroupConsumer<M> open(GroupSource<M> source, int max) {
    DeadLetterTopic letters =
        new DeadLetterTopic(source.settings().deadLetters(), source.settings().clients());
    try {
      return new GroupConsumer<>(
          source,
          max,
          new KafkaConsumer<>(
              properties(source), new ByteArrayDeserializer(), new ByteArrayDeserializer()),
          letters);
    } catch (RuntimeException | Error e) {
      letters.close();
      throw e;
    }
  }

  private static Map<String, Object> properties(GroupSource<?> source) {
    Map<String, Object> properties = new HashMap<>(source.settings().clients());
    properties.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.putIfAbsent(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    ClientProperties.completeTimeouts(properties);
    Object protocol = properties.getOrDefault(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    if ("classic".equalsIgnoreCase(protocol.toString())) { // the other one does so anyway
      // A rebalance leaves a member the partitions that it keeps, and what it holds of them.
      properties.putIfAbsent(
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          CooperativeStickyAssignor.class.getName());
    }
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, source.settings().group());
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    return properties;
  }

  /**
   * Commits where it begins, so that a successor does not begin later, with what is latest then.
   */
  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      held.put(partition, new ArrayDeque<>());
      ends.put(partition, consumer.position(partition));
    }
    commit();
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    commit();
    onPartitionsLost(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    partitions.forEach(held::remove);
    partitions.forEach(ends::remove);
    partitions.forEach(committed::remove);
  }

  @Override
  public List<Delivery<M>> take(Duration timeout) {
    makeDead();
    turn++;
    joinAfterALongBatch();
    // What is there does not wait for what may come.
    read(ready().isEmpty() ? shorter(timeout) : Duration.ZERO);
    batch = ready(); // after the poll, in which partitions may move to another member
    List<Delivery<M>> messages = new ArrayList<>(batch.size());
    for (HeldRecord each : batch) {
      messages.add(SourceMessages.of(each.record(), each.take(), source.settings().converter()));
    }
    return messages;
  }

  /** Returns the time until a held record may be due. */
  private Duration shorter(Duration timeout) {
    long now = time.nanoTime();
    long wait = timeout.toNanos();
    for (Deque<HeldRecord> records : held.values()) {
      for (HeldRecord each : records) {
        if (each.waits(now)) {
          wait = Math.min(wait, each.dueNanos() - now);
        }
      }
    }
    return Duration.ofNanos(wait);
  }

  private void read(Duration timeout) {
    Set<TopicPartition> full = new HashSet<>();
    held.forEach(
        (partition, records) -> {
          if (records.size() >= WINDOW || bytes(records) >= WINDOW_BYTES) {
            full.add(partition);
          }
        });
    consumer.resume(consumer.paused());
    consumer.pause(full);
    hold(timeout);
    commit(); // what could not be committed before
  }

  /**
   * Lets a rebalance pass that began during a long batch: one poll without a wait is only a step of
   * it, and the group evicts a member that takes a batch for each step.
   */
  private void joinAfterALongBatch() {
    long silent = time.nanoTime() - polledNanos;
    if (silent > LONG_NANOS) {
      consumer.pause(consumer.assignment());
      hold(Duration.ofNanos(Math.min(LONG_NANOS, silent / 10)));
    }
  }

  private static long bytes(Deque<HeldRecord> records) {
    return records.stream().mapToLong(HeldRecord::bytes).sum();
  }

  private void hold(Duration timeout) {
    long now = time.nanoTime();
    polledNanos = now;
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
      TopicPartition partition = new TopicPartition(record.topic(), record.partition());
      held.computeIfAbsent(partition, each -> new ArrayDeque<>()).add(new HeldRecord(record, now));
      ends.put(partition, record.offset() + 1);
    }
  }

  /** Returns the next batch, of which each partition has the first messages in its turn. */
  private List<HeldRecord> ready() {
    List<HeldRecord> found = new ArrayList<>();
    List<Deque<HeldRecord>> partitions = new ArrayList<>(held.values());
    if (!partitions.isEmpty()) {
      Collections.rotate(partitions, turn % partitions.size());
    }
    long now = time.nanoTime();
    for (Deque<HeldRecord> records : partitions) {
      Set<String> locked = new HashSet<>();
      for (HeldRecord each : records) {
        if (found.size() == max) {
          return found;
        }
        String key = each.key();
        if (!each.isDone() && (key == null || locked.add(key)) && each.mayBeTaken(now)) {
          found.add(each);
        }
      }
    }
    return found;
  }

  @Override
  public void settle(List<Settlement> answers) {
    long now = time.nanoTime();
    for (int i = 0; i < batch.size(); i++) {
      settle(batch.get(i), answers.get(i), now);
    }
    batch = List.of();
    makeDead();
    commit();
  }

  private void settle(HeldRecord record, Settlement answer, long now) {
    if (answer instanceof Settlement.Ack) {
      record.complete();
    } else if (answer instanceof Settlement.Reject reject) {
      record.holdDead(reject.reason(), now);
    } else if (answer instanceof Settlement.Nack nack) {
      if (source.settings().maxDeliveries() > 0
          && record.deliveries() >= source.settings().maxDeliveries()) {
        String last = nack.reason() == null ? "" : ": " + nack.reason();
        record.holdDead("delivered " + Amount.of(record.deliveries(), "time") + last, now);
      } else {
        Duration delay = nack.delay() == null ? Duration.ZERO : nack.delay();
        record.deliverAgain(now + delay.toNanos(), true);
      }
    } else {
      record.deliverAgain(now, false);
    }
  }

  /** Writes the dead letters that are due; one that cannot be written is tried again later. */
  private void makeDead() {
    long now = time.nanoTime();
    Map<DeadLetterTopic.Letter, HeldRecord> letters = new LinkedHashMap<>();
    for (Deque<HeldRecord> records : held.values()) {
      for (HeldRecord each : records) {
        String reason = each.deadBecause(now);
        if (reason != null) {
          letters.put(new DeadLetterTopic.Letter(each.record(), reason), each);
        }
      }
    }
    if (letters.isEmpty()) {
      return;
    }
    Set<DeadLetterTopic.Letter> stored =
        Set.copyOf(deadLetters.send(List.copyOf(letters.keySet())));
    dead += stored.size();
    letters.forEach(
        (letter, record) -> {
          if (stored.contains(letter)) {
            record.complete();
          } else {
            record.holdDead(letter.reason(), deadLetters.retryNanos());
          }
        });
    commit();
  }

  @Override
  public long deadLetters() {
    return dead;
  }

  /** Returns what its partitions have after what was read, and what it holds of them. */
  @Override
  public OptionalLong lag() {
    long lag = 0;
    for (Map.Entry<TopicPartition, Deque<HeldRecord>> each : held.entrySet()) {
      OptionalLong behind = consumer.currentLag(each.getKey()); // asks no broker
      if (behind.isEmpty()) {
        return behind;
      }
      long open = each.getValue().stream().filter(record -> !record.isDone()).count();
      lag += behind.getAsLong() + open;
    }
    return OptionalLong.of(lag);
  }

  /** Commits each partition up to its lowest message that is not completed. */
  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    held.forEach(
        (partition, records) -> {
          while (!records.isEmpty() && records.peek().isDone()) {
            records.remove();
          }
          HeldRecord lowest = records.peek();
          Long end = lowest == null ? ends.get(partition) : Long.valueOf(lowest.record().offset());
          if (end != null && !end.equals(committed.get(partition))) {
            offsets.put(partition, new OffsetAndMetadata(end));
          }
        });
    if (offsets.isEmpty()) {
      return;
    }
    try {
      consumer.commitSync(offsets);
      offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
    } catch (CommitFailedException | RetriableException | RebalanceInProgressException e) {
      LOG.debug("Group {}: offsets are committed later", source.settings().group(), e);
    }
  }

  /**
   * After it the member leaves its group. Until half of it a batch is not disturbed: without a poll
   * no partition moves.
   */
  @Override
  public Duration lease() {
    Object given = source.settings().clients().get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
    return Duration.ofMillis(
        given == null ? DEFAULT_POLL_MILLIS : Long.parseLong(given.toString().trim()));
  }

  /** Has partitions move as they should while nothing is taken. */
  @Override
  public void idle() {
    keepAlive();
  }

  /** Polls without reading, which keeps the member in its group. */
  @Override
  public void keepAlive() {
    consumer.pause(consumer.assignment());
    hold(Duration.ZERO);
  }

  @Override
  public void close() {
    try {
      commit();
    } catch (RuntimeException e) {
      LOG.debug("Group {}: offsets were not committed", source.settings().group(), e);
    } finally {
      try {
        consumer.close(CloseOptions.timeout(CLOSE));
      } finally {
        deadLetters.close();
      }
    }
  }
}
