package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.reactor.DeliverySource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a share group. Kafka's consumer reads new records only once all that it has are
 * acknowledged, and a renewed lock gives the record again with the next poll. So what is to wait, a
 * retry with a delay or a dead letter that cannot be written, is kept locked here, and nothing new
 * is read meanwhile. Confined to one thread.
 *
 * @param <M> type of the data
 */
final class ShareGroupConsumer<M> implements DeliverySource.Consumer<M> {
  private static final Logger LOG = LoggerFactory.getLogger(ShareGroupConsumer.class);
  private static final Duration LEASE = Duration.ofSeconds(15); // if the broker does not say
  private static final Duration COMMIT = Duration.ofSeconds(10);
  private static final Duration RENEWED = Duration.ofMillis(500);
  private static final int RENEWED_POLLS = 4;
  private static final long LETTER_RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final ShareSource<M> source;
  private final int max;
  private final ShareConsumer<byte[], byte[]> consumer;
  private final DeadLetterTopic deadLetters;
  private final TimeSource time = TimeSource.system();

  /** Every record that Kafka's consumer has given and that is not acknowledged. */
  private final Map<Long, ConsumerRecord<byte[], byte[]>> locked = new LinkedHashMap<>();

  private final Deque<Long> unread = new ArrayDeque<>(); // of them, those for the next batch
  private final Map<Long, Hold> held = new LinkedHashMap<>(); // of them, those that wait
  private List<Long> batch = List.of();
  private long renewed; // when all locks were last new

  /** Until when a record is kept, and its reason if it is a dead letter. */
  private record Hold(long dueNanos, @Nullable String reason) {}

  ShareGroupConsumer(
      ShareSource<M> source,
      int max,
      ShareConsumer<byte[], byte[]> consumer,
      DeadLetterTopic deadLetters) {
    this.source = source;
    this.max = max;
    this.consumer = consumer;
    this.deadLetters = deadLetters;
  }

  static <M> ShareGroupConsumer<M> open(ShareSource<M> source, int max) {
    Map<String, Object> properties = new HashMap<>(source.settings().clients());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, source.group());
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, max);
    properties.put("share.acknowledgement.mode", "explicit");
    properties.put("share.acquire.mode", "record_limit");
    DeadLetterTopic letters =
        new DeadLetterTopic(source.deadLetters(), source.settings().clients());
    try {
      KafkaShareConsumer<byte[], byte[]> consumer =
          new KafkaShareConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      consumer.subscribe(List.of(source.topic()));
      return new ShareGroupConsumer<>(source, max, consumer, letters);
    } catch (RuntimeException | Error e) {
      letters.close();
      throw e;
    }
  }

  @Override
  public List<Delivery<M>> take(Duration timeout) throws InterruptedException {
    if (!held.isEmpty()) {
      awaitHeld(timeout);
      finishHeld();
    }
    if (!held.isEmpty()) {
      return List.of();
    }
    if (unread.isEmpty()) {
      renewed = time.nanoTime();
      consumer.poll(timeout).forEach(this::add);
    }
    List<Delivery<M>> messages = nextBatch();
    finishHeld();
    return messages;
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    long sequence = SourceMessages.sequence(record);
    locked.put(sequence, record);
    unread.add(sequence);
  }

  private List<Delivery<M>> nextBatch() {
    List<Delivery<M>> messages = new ArrayList<>();
    List<Long> sequences = new ArrayList<>();
    while (messages.size() < max && !unread.isEmpty()) {
      long sequence = unread.remove();
      ConsumerRecord<byte[], byte[]> record = locked.get(sequence);
      if (record != null && deliveries(record) > source.maxDeliveries()) {
        deadLetter(
            record,
            "delivered " + Amount.of(source.maxDeliveries(), "time")); // and then lost by a kill
      } else if (record != null) {
        sequences.add(sequence);
        messages.add(SourceMessages.of(record, deliveries(record), source.converter()));
      }
    }
    batch = sequences;
    return messages;
  }

  private static int deliveries(ConsumerRecord<?, ?> record) {
    return record.deliveryCount().orElse((short) 1);
  }

  private void deadLetter(ConsumerRecord<byte[], byte[]> record, String reason) {
    held.put(SourceMessages.sequence(record), new Hold(time.nanoTime(), reason));
  }

  @Override
  public void settle(List<Settlement> answers) {
    for (int i = 0; i < batch.size(); i++) {
      ConsumerRecord<byte[], byte[]> record = locked.get(batch.get(i));
      if (record != null) { // else its lock was lost, and it is delivered again
        settle(record, answers.get(i));
      }
    }
    batch = List.of();
    commit();
    finishHeld();
  }

  private void settle(ConsumerRecord<byte[], byte[]> record, Settlement answer) {
    if (answer instanceof Settlement.Ack) {
      finish(record, AcknowledgeType.ACCEPT);
    } else if (answer instanceof Settlement.Reject reject) {
      deadLetter(record, reject.reason());
    } else if (answer instanceof Settlement.Nack nack) {
      Duration delay = nack.delay();
      if (deliveries(record) >= source.maxDeliveries()) {
        String last = nack.reason() == null ? "" : ": " + nack.reason();
        deadLetter(record, "delivered " + Amount.of(deliveries(record), "time") + last);
      } else if (delay != null && !delay.isZero()) {
        long due = time.nanoTime() + delay.toNanos();
        held.put(SourceMessages.sequence(record), new Hold(due, null));
      } else {
        finish(record, AcknowledgeType.RELEASE);
      }
    } else {
      finish(record, AcknowledgeType.RELEASE);
    }
  }

  private void finish(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
    consumer.acknowledge(record, type);
    locked.remove(SourceMessages.sequence(record));
    held.remove(SourceMessages.sequence(record));
  }

  private void commit() {
    Map<TopicIdPartition, Optional<KafkaException>> results = consumer.commitSync(COMMIT);
    results.forEach(
        (partition, failure) ->
            failure.ifPresent(
                e -> LOG.debug("Group {}: late at {}", source.group(), partition, e)));
  }

  /** Waits until something that is held is due, or a time is over, and renews meanwhile. */
  private void awaitHeld(Duration timeout) throws InterruptedException {
    long third = lease().toNanos() / 3;
    long until = time.nanoTime() + timeout.toNanos();
    for (Hold each : held.values()) {
      until = until - each.dueNanos() < 0 ? until : each.dueNanos();
    }
    for (long left = until - time.nanoTime(); left > 0; left = until - time.nanoTime()) {
      long fresh = renewed + third - time.nanoTime();
      if (fresh <= 0) {
        keepAlive();
      } else {
        time.park(this, Math.min(left, fresh));
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    if (renewed + third - time.nanoTime() <= 0) {
      keepAlive();
    }
  }

  /** Gives back what has waited long enough, and makes dead letters of what is to be one. */
  private void finishHeld() {
    long now = time.nanoTime();
    List<DeadLetterTopic.Letter> letters = new ArrayList<>();
    boolean any = false;
    for (Map.Entry<Long, Hold> each : Map.copyOf(held).entrySet()) {
      ConsumerRecord<byte[], byte[]> record = locked.get(each.getKey());
      Hold hold = each.getValue();
      if (record != null && hold.dueNanos() - now <= 0) {
        if (hold.reason() == null) {
          finish(record, AcknowledgeType.RELEASE);
          any = true;
        } else {
          letters.add(new DeadLetterTopic.Letter(record, hold.reason()));
        }
      }
    }
    any |= makeDead(letters);
    if (any) {
      commit();
    }
  }

  /** Writes dead letters, and keeps those that cannot be written; returns whether one was. */
  private boolean makeDead(List<DeadLetterTopic.Letter> letters) {
    if (letters.isEmpty()) {
      return false;
    }
    List<DeadLetterTopic.Letter> stored = deadLetters.send(letters);
    long retry = time.nanoTime() + LETTER_RETRY_NANOS;
    for (DeadLetterTopic.Letter each : letters) {
      held.put(SourceMessages.sequence(each.record()), new Hold(retry, each.reason()));
    }
    stored.forEach(each -> finish(each.record(), AcknowledgeType.REJECT));
    return !stored.isEmpty();
  }

  @Override
  public Duration lease() {
    return consumer
        .acquisitionLockTimeoutMs()
        .map(millis -> Duration.ofMillis(millis))
        .orElse(LEASE);
  }

  /**
   * Renews all locks. One poll gives the renewed records again, and usually nothing else; a further
   * one would throw. What does not come again is locked no longer.
   */
  @Override
  public void keepAlive() {
    if (locked.isEmpty()) {
      return;
    }
    renewed = time.nanoTime();
    locked.values().forEach(record -> consumer.acknowledge(record, AcknowledgeType.RENEW));
    boolean any = consumer.commitSync(COMMIT).values().stream().anyMatch(Optional::isEmpty);
    Set<Long> known = Set.copyOf(locked.keySet());
    locked.clear();
    for (int i = 0; i < RENEWED_POLLS && any && locked.isEmpty(); i++) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(RENEWED)) {
        if (known.contains(SourceMessages.sequence(record))) {
          locked.put(SourceMessages.sequence(record), record);
        } else {
          add(record); // new, and to be acknowledged like the others before the next poll
        }
      }
    }
    held.keySet().retainAll(locked.keySet());
  }

  @Override
  public void close() {
    try {
      held.replaceAll((sequence, hold) -> new Hold(time.nanoTime(), hold.reason()));
      finishHeld();
      for (ConsumerRecord<byte[], byte[]> record : List.copyOf(locked.values())) {
        if (deliveries(record) >= source.settings().limit()) {
          LOG.error(
              "Group {}: {} is delivered no more, and its dead letter could not be written; it is"
                  + " still in its topic",
              source.group(),
              SourceMessages.place(record));
        }
        finish(record, AcknowledgeType.RELEASE);
      }
    } catch (RuntimeException e) { // the locks end by themselves
      LOG.debug("Group {}: not everything was given back", source.group(), e);
    } finally {
      try {
        consumer.close(CLOSE);
      } finally {
        deadLetters.close();
      }
    }
  }
}
