package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Origin;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageTooLargeException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of a source. Each partition is an origin of the queue, named by the identity of its
 * topic, so that a topic that was deleted and made again is another one; the offsets are its
 * positions. They only grow: what transactions and compaction leave out are holes. Confined to the
 * source's thread.
 *
 * @param <M> type of the data
 */
final class SourceSession<M> implements ConsumerRebalanceListener, SessionLoop.Session {
  private static final Logger LOG = LoggerFactory.getLogger(SourceSession.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final MessageQueue<M> queue;
  private final MessageMapper<M> mapper;
  private final SourceCounts counts;
  private final boolean ownGroup;
  private final boolean earliest;
  private final @Nullable BiConsumer<ConsumerRecord<byte[], byte[]>, Exception> refused;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final Map<TopicPartition, Origin> origins = new HashMap<>();
  private final Deque<ConsumerRecord<byte[], byte[]>> pending = new ArrayDeque<>();
  private final Map<TopicPartition, Long> seen = new HashMap<>(); // the last offset
  private final Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>(); // not committed

  SourceSession(
      MessageQueue<M> queue,
      SourceProperties properties,
      SourceCounts counts,
      @Nullable BiConsumer<ConsumerRecord<byte[], byte[]>, Exception> refused) {
    this.queue = queue;
    this.mapper = new MessageMapper<>(queue.converter());
    this.counts = counts;
    this.ownGroup = properties.ownGroup();
    this.earliest = properties.isEarliest();
    this.refused = refused;
    this.consumer = new KafkaConsumer<>(properties.consumer());
    this.admin = admin(properties);
  }

  private Admin admin(SourceProperties properties) {
    try {
      return Admin.create(properties.admin());
    } catch (RuntimeException e) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      throw e;
    }
  }

  void open(Collection<String> topics) {
    for (String topic : topics) {
      List<PartitionInfo> partitions;
      try {
        partitions = consumer.partitionsFor(topic);
      } catch (TimeoutException | UnknownTopicOrPartitionException e) {
        throw new UnreachableException("no broker answers: " + e.getMessage());
      }
      if (partitions.isEmpty()) {
        throw new UnreachableException("there is no topic " + topic);
      }
    }
    consumer.subscribe(topics, this);
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    Set<String> topics = new HashSet<>();
    partitions.forEach(each -> topics.add(each.topic()));
    Map<String, String> ids = ids(topics);
    Map<TopicPartition, OffsetAndMetadata> committed =
        ownGroup ? Map.of() : consumer.committed(new HashSet<>(partitions));
    for (TopicPartition partition : partitions) {
      Origin origin =
          Origin.of("kafka:" + ids.get(partition.topic()) + ":" + partition.partition());
      origins.put(partition, origin);
      OptionalLong last = queue.lastFrom(origin);
      seen.remove(partition);
      if (last.isPresent()) {
        seen.put(partition, last.getAsLong());
        OffsetAndMetadata of = committed.get(partition);
        // In a group that queues share, another one may have stored what follows.
        consumer.seek(partition, Math.max(last.getAsLong() + 1, of == null ? 0 : of.offset()));
      } else if (ownGroup && earliest) {
        consumer.seekToBeginning(List.of(partition)); // the offset may be of a topic before this
      }
    }
  }

  private Map<String, String> ids(Set<String> topics) {
    Map<String, String> ids = new HashMap<>();
    try {
      admin
          .describeTopics(topics)
          .allTopicNames()
          .get()
          .forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new KafkaException("the identities of the topics " + topics + " are not known", e);
    }
    return ids;
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    commit();
    onPartitionsLost(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    partitions.forEach(origins::remove);
    partitions.forEach(seen::remove);
    pending.removeIf(record -> partitions.contains(partition(record)));
    partitions.forEach(stored::remove);
  }

  private static TopicPartition partition(ConsumerRecord<?, ?> record) {
    return new TopicPartition(record.topic(), record.partition());
  }

  /**
   * Reads what there is, and stores it. While the queue is full it reads nothing, but stays in its
   * group.
   *
   * @return whether there was something
   */
  boolean step(Duration wait) {
    if (pending.isEmpty()) {
      consumer.resume(consumer.paused());
    } else {
      consumer.pause(consumer.assignment());
    }
    consumer.poll(wait).forEach(pending::add);
    if (pending.isEmpty()) {
      countLag();
      return false;
    }
    try {
      store();
    } finally {
      if (!stored.isEmpty()) {
        queue.force();
      }
      countLag();
    }
    return true;
  }

  /** Counts what is not stored; where a partition's end is not known yet the count stays. */
  private void countLag() {
    long lag = pending.size();
    for (TopicPartition each : consumer.assignment()) {
      OptionalLong behind = consumer.currentLag(each); // asks no broker
      if (behind.isEmpty()) {
        return;
      }
      lag += behind.getAsLong();
    }
    counts.lag().set(lag);
  }

  private void store() {
    for (ConsumerRecord<byte[], byte[]> record = pending.peek();
        record != null;
        record = pending.peek()) {
      TopicPartition partition = partition(record);
      Origin origin = origins.get(partition);
      if (origin != null) {
        requireProgress(record, partition);
        store(record, origin);
        stored.put(partition, new OffsetAndMetadata(record.offset() + 1));
      }
      pending.remove();
    }
  }

  /** Offsets that go back are those of a topic that was made again, which is another origin. */
  private void requireProgress(ConsumerRecord<?, ?> record, TopicPartition partition) {
    Long before = seen.put(partition, record.offset());
    if (before != null && before > record.offset()) {
      throw new KafkaException(
          String.format(
              "the offsets of %s went back from %d to %d", partition, before, record.offset()));
    }
  }

  private void store(ConsumerRecord<byte[], byte[]> record, Origin origin) {
    Message<M> message;
    try {
      message = mapper.message(record);
    } catch (RuntimeException e) { // the converter's
      refuse(record, e);
      return;
    }
    try {
      boolean skipped =
          queue.putFrom(origin, record.offset(), message, Durability.MEMORY).duplicate();
      (skipped ? counts.skipped() : counts.stored()).incrementAndGet();
    } catch (MessageTooLargeException | IllegalArgumentException e) {
      refuse(record, e);
    }
  }

  private void refuse(ConsumerRecord<byte[], byte[]> record, RuntimeException why) {
    if (refused == null) {
      throw new UnmappableException(
          String.format(
              "record %s/%d/%d cannot be stored, and the records after it wait: %s",
              record.topic(), record.partition(), record.offset(), why.getMessage()),
          why);
    }
    refused.accept(record, why);
    counts.refused().incrementAndGet();
    LOG.warn(
        "Queue {}: record {}/{}/{} was left out: {}",
        queue.name(),
        record.topic(),
        record.partition(),
        record.offset(),
        why.getMessage());
  }

  /** Commits the offsets of what is stored: a hint for other queues of the group, and for tools. */
  void commit() {
    if (stored.isEmpty()) {
      return;
    }
    try {
      consumer.commitSync(Map.copyOf(stored));
      stored.clear();
    } catch (CommitFailedException | RetriableException e) {
      LOG.debug("Queue {}: the offsets are committed later", queue.name(), e);
    }
  }

  @Override
  public void close() {
    try {
      commit();
    } catch (RuntimeException e) {
      LOG.debug("Queue {}: the offsets were not committed", queue.name(), e);
    }
    close(
        CloseOptions.timeout(CLOSE)
            .withGroupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
  }

  /** Ends it without waiting for anything, after a failure. */
  @Override
  public void abandon() {
    close(CloseOptions.timeout(Duration.ZERO));
  }

  private void close(CloseOptions how) {
    try {
      consumer.close(how);
    } finally {
      admin.close(Duration.ZERO);
    }
  }
}
