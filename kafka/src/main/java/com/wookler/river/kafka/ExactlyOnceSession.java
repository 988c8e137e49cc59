package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.MessageQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages and commits the position after them in one transaction. The position is the offset
 * of a group that no consumer is in, at partition 0 of the topic; its metadata names the forwarder.
 *
 * <p>A transaction whose outcome is unknown is never guessed: the next session's {@code
 * initTransactions} ends it and shuts this producer out, and the position that is committed then
 * says what the topic has.
 */
final class ExactlyOnceSession implements ForwardSession {
  private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceSession.class);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final long LOOK_NANOS = Duration.ofSeconds(3).toNanos();
  private static final long OWNER_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(100).toNanos();
  // Brokers forget the offsets of a group without members after seven days.
  private static final long RENEW_NANOS = Duration.ofHours(12).toNanos();

  private final MessageQueue<?> queue;
  private final TopicPartition anchor;
  private final Owner owner;
  private final TimeSource time;
  private final Map<String, Object> adminProperties;
  private final KafkaProducer<byte @Nullable [], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer; // reads positions; subscribes to nothing
  private long committedAt;
  private long lookedAt;

  ExactlyOnceSession(
      MessageQueue<?> queue,
      ForwardProperties properties,
      String topic,
      Owner owner,
      TimeSource time) {
    this.queue = queue;
    this.anchor = new TopicPartition(topic, 0);
    this.owner = owner;
    this.time = time;
    this.adminProperties = properties.admin();
    this.producer = new KafkaProducer<>(properties.producer());
    this.consumer = consumer(properties);
  }

  private KafkaConsumer<byte[], byte[]> consumer(ForwardProperties properties) {
    try {
      return new KafkaConsumer<>(properties.consumer());
    } catch (RuntimeException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  @Override
  public long open(long lowWatermark) {
    ForwardSession.requireTopic(producer, anchor.topic());
    check(positionNow()); // first, so that a copy that is refused shuts no other out
    producer.initTransactions();
    OffsetAndMetadata found = position();
    check(found);
    if (found == null && lowWatermark > 0) {
      LOG.info(
          "Queue {}: Kafka has no position in the group {}, so it begins at the subscriber's low"
              + " watermark {}",
          queue.name(),
          group(),
          lowWatermark);
    }
    long next = found == null ? lowWatermark : Math.max(found.offset(), lowWatermark);
    String mark = mark(next);
    if (mark == null && found != null && found.offset() == next) {
      mark = Owner.markIn(found.metadata());
    }
    commit(next, mark);
    owner.committed();
    return next;
  }

  private String group() {
    return consumer.groupMetadata().groupId();
  }

  /**
   * Checks that the queue has what Kafka has, and that no other forwarder has come since this one
   * committed.
   */
  private void check(@Nullable OffsetAndMetadata found) {
    if (found == null) {
      return;
    }
    if (owner.owns()) {
      requireOwned(found);
    }
    long end = queue.stats().nextSequence();
    if (found.offset() > end) {
      throw new OtherCopyException(
          String.format(
              "Kafka has messages up to %d of queue %s, which has them only up to %d: it is older"
                  + " than Kafka's position, restored from a copy perhaps; delete the group %s and"
                  + " start again to begin at the subscriber's low watermark",
              found.offset() - 1, queue.name(), end - 1, group()));
    }
    String there = Owner.markIn(found.metadata());
    String here = mark(found.offset());
    if (there != null && here != null && !there.equals(here)) {
      throw new OtherCopyException(
          String.format(
              "Kafka has another message %d than queue %s: it was restored from a copy perhaps, and"
                  + " published to since; delete the group %s and start again to begin at the"
                  + " subscriber's low watermark",
              found.offset() - 1, queue.name(), group()));
    }
  }

  /** Returns the mark of the message before a place, or null if that cannot be read any more. */
  private @Nullable String mark(long next) {
    try {
      return next == 0
          ? null
          : queue.read(next - 1).map(each -> Owner.mark(each.publishedAt())).orElse(null);
    } catch (DamagedException e) {
      return null; // reported where it is delivered
    }
  }

  /** Returns the position, also while a transaction is open over it. */
  private @Nullable OffsetAndMetadata positionNow() {
    Admin admin = Admin.create(adminProperties);
    try {
      return admin
          .listConsumerGroupOffsets(group())
          .partitionsToOffsetAndMetadata()
          .get()
          .get(anchor);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new KafkaException("the position of the group " + group() + " is not known", e);
    } finally {
      admin.close(Duration.ZERO);
    }
  }

  private @Nullable OffsetAndMetadata position() {
    lookedAt = time.nanoTime();
    return consumer.committed(Set.of(anchor)).get(anchor);
  }

  /** Commits the position alone, which names this forwarder as its owner. */
  private void commit(long next, @Nullable String mark) {
    producer.beginTransaction();
    queue.force();
    finish(next, mark);
  }

  /** Once the queue is forced: else a power loss could leave Kafka ahead of it. */
  private void finish(long next, @Nullable String mark) {
    producer.sendOffsetsToTransaction(
        Map.of(anchor, new OffsetAndMetadata(next, owner.metadata(mark))),
        consumer.groupMetadata());
    producer.commitTransaction();
    committedAt = time.nanoTime();
    lookedAt = committedAt;
  }

  @Override
  public @Nullable Exception send(List<? extends Outgoing<?>> batch, long next) {
    SendFailure failure = new SendFailure();
    try {
      producer.beginTransaction();
      for (Outgoing<?> each : batch) {
        if (failure.get() != null) {
          break;
        }
        var unused = producer.send(each.record(), (metadata, e) -> failure.add(e));
      }
      queue.force();
      producer.flush(); // else a refusal would be known after the look at it
      if (failure.get() == null) {
        finish(next, Owner.mark(batch.get(batch.size() - 1).delivery().publishedAt()));
        return null;
      }
    } catch (KafkaException e) {
      failure.add(e);
    }
    Exception failed = failure.get();
    if (failed != null && KafkaErrors.isRefusal(failed)) {
      producer.abortTransaction();
      return failed;
    }
    throw failed instanceof KafkaException e ? e : new KafkaException(failed);
  }

  @Override
  public void idle(long next) {
    if (time.nanoTime() - committedAt > RENEW_NANOS) {
      commit(next, mark(next));
    } else if (time.nanoTime() - lookedAt > LOOK_NANOS) {
      requireOwned();
    }
  }

  @Override
  public void awaitOwner() {
    long until = time.nanoTime() + OWNER_NANOS;
    while (time.nanoTime() < until && !Thread.currentThread().isInterrupted()) {
      requireOwned();
      time.park(this, LOOK_AGAIN_NANOS);
    }
  }

  /**
   * Checks that this forwarder committed the position last.
   *
   * @throws TakenOverException another one did
   */
  private void requireOwned() {
    OffsetAndMetadata found = position();
    if (found != null) {
      requireOwned(found);
    }
  }

  private void requireOwned(OffsetAndMetadata found) {
    if (owner.isOther(found.metadata())) {
      throw new TakenOverException(
          String.format(
              "another forwarder of queue %s has taken over: %s. Either its directory was copied,"
                  + " or the queue is open twice",
              queue.name(), Owner.name(found.metadata())));
    }
  }

  @Override
  public void close() {
    close(CLOSE);
  }

  @Override
  public void abandon() {
    close(Duration.ZERO);
  }

  private void close(Duration wait) {
    try {
      producer.close(wait);
    } finally {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }
}
