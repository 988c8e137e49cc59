package com.wookler.river.kafka;

import com.wookler.river.common.RateLimitedLog;
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
import java.util.LinkedHashSet;
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
  private static final int MOST_LATE = 10_000;
  private static final Duration CLOSE = Duration.ofSeconds(5);

  /** The parts of a lock's time after which it is renewed: while it waits, before a batch. */
  private static final int WAITING = 3;

  private static final int BEFORE_A_BATCH = 6;

  private final ShareSource<M> source;
  private final int max;
  private final ShareConsumer<byte[], byte[]> consumer;
  private final DeadLetterTopic deadLetters;
  private final TimeSource time = TimeSource.system();

  /** Every record that Kafka's consumer has given and that is not acknowledged. */
  private final Map<Long, ConsumerRecord<byte[], byte[]>> locked = new LinkedHashMap<>();

  private final Deque<Long> unread = new ArrayDeque<>(); // of them, those for the next batch
  private final Map<Long, Hold> held = new LinkedHashMap<>(); // of them, those that wait
  private final Set<Long> late = new LinkedHashSet<>(); // acknowledged after their locks were lost
  private final RateLimitedLog lateLog = new RateLimitedLog(TimeSource.system());
  private List<Long> batch = List.of();
  private long dead; // letters that were written
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
    properties.putIfAbsent(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, source.settings().group());
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, max);
    properties.put("share.acknowledgement.mode", "explicit");
    properties.put("share.acquire.mode", "record_limit");
    DeadLetterTopic letters =
        new DeadLetterTopic(source.settings().deadLetters(), source.settings().clients());
    try {
      KafkaShareConsumer<byte[], byte[]> consumer =
          new KafkaShareConsumer<>(
              properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      consumer.subscribe(List.of(source.settings().topic()));
      return new ShareGroupConsumer<>(source, max, consumer, letters);
    } catch (RuntimeException | Error e) {
      letters.close();
      throw e;
    }
  }

  @Override
  public List<Delivery<M>> take(Duration timeout) throws InterruptedException {
    if (!held.isEmpty()) {
      if (unread.isEmpty()) {
        awaitHeld(timeout);
      }
      finishHeld();
    }
    if (!unread.isEmpty()) {
      renewIfOlder(BEFORE_A_BATCH);
    } else if (held.isEmpty()) { // else the client would refuse a poll
      renewed = time.nanoTime();
      consumer.poll(timeout).forEach(this::add);
    }
    List<Delivery<M>> messages = nextBatch();
    finishHeld();
    return messages;
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    long sequence = SourceMessages.sequence(record);
    if (late.remove(sequence)) {
      consumer.acknowledge(record, AcknowledgeType.ACCEPT);
    } else {
      locked.put(sequence, record);
      unread.add(sequence);
    }
  }

  private List<Delivery<M>> nextBatch() {
    List<Delivery<M>> messages = new ArrayList<>();
    List<Long> sequences = new ArrayList<>();
    while (messages.size() < max && !unread.isEmpty()) {
      long sequence = unread.remove();
      ConsumerRecord<byte[], byte[]> record = locked.get(sequence);
      if (record != null && deliveries(record) > source.settings().maxDeliveries()) {
        holdDead(
            record,
            "delivered "
                + Amount.of(source.settings().maxDeliveries(), "time")); // and then lost by a kill
      } else if (record != null) {
        sequences.add(sequence);
        messages.add(SourceMessages.of(record, deliveries(record), source.settings().converter()));
      }
    }
    batch = sequences;
    return messages;
  }

  private static int deliveries(ConsumerRecord<?, ?> record) {
    return record.deliveryCount().orElse((short) 1);
  }

  private void holdDead(ConsumerRecord<byte[], byte[]> record, String reason) {
    held.put(SourceMessages.sequence(record), new Hold(time.nanoTime(), reason));
  }

  @Override
  public void settle(List<Settlement> answers) {
    for (int i = batch.size() - 1; i >= 0; i--) { // so that what is released keeps its order
      ConsumerRecord<byte[], byte[]> record = locked.get(batch.get(i));
      if (record != null) {
        settle(record, answers.get(i));
      } else if (answers.get(i) instanceof Settlement.Ack) { // its lock was lost
        addLate(batch.get(i));
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
      holdDead(record, reject.reason());
    } else if (answer instanceof Settlement.Nack nack) {
      Duration delay = nack.delay();
      if (deliveries(record) >= source.settings().maxDeliveries()) {
        String last = nack.reason() == null ? "" : ": " + nack.reason();
        holdDead(record, "delivered " + Amount.of(deliveries(record), "time") + last);
      } else if (delay != null && !delay.isZero()) {
        long due = time.nanoTime() + delay.toNanos();
        held.put(SourceMessages.sequence(record), new Hold(due, null));
      } else {
        finish(record, AcknowledgeType.RELEASE);
      }
    } else {
      unread.addFirst(SourceMessages.sequence(record)); // the brokers would count a release
    }
  }

  private void addLate(long sequence) {
    late.add(sequence);
    if (late.size() > MOST_LATE) {
      late.remove(late.iterator().next());
    }
  }

  private void finish(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
    try {
      consumer.acknowledge(record, type);
    } catch (IllegalStateException e) { // it did not come again from its renewal, which failed
      LOG.debug(
          "Group {}: {} is not locked", source.settings().group(), SourceMessages.place(record), e);
    }
    locked.remove(SourceMessages.sequence(record));
    held.remove(SourceMessages.sequence(record));
  }

  private void commit() {
    Map<TopicIdPartition, Optional<KafkaException>> results = consumer.commitSync(COMMIT);
    results.forEach(
        (partition, failure) ->
            failure.ifPresent(
                e -> {
                  if (lateLog.mayLog()) {
                    LOG.warn(
                        "Group {}: answers for {} came too late or were lost; the messages are"
                            + " delivered again: {}",
                        source.settings().group(),
                        partition,
                        KafkaErrors.words(e));
                  }
                }));
  }

  /** Waits until something that is held is due, or a time is over, and renews meanwhile. */
  private void awaitHeld(Duration timeout) throws InterruptedException {
    long third = lease().toNanos() / WAITING;
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
    renewIfOlder(WAITING);
  }

  /** Renews all locks if they have been held for as great a part of their time. */
  private void renewIfOlder(int part) {
    if (renewed + lease().toNanos() / part - time.nanoTime() <= 0) {
      keepAlive();
    }
  }

  @Override
  public void idle() {
    renewIfOlder(WAITING);
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
    for (DeadLetterTopic.Letter each : letters) {
      held.put(
          SourceMessages.sequence(each.record()),
          new Hold(deadLetters.retryNanos(), each.reason()));
    }
    stored.forEach(each -> finish(each.record(), AcknowledgeType.REJECT));
    dead += stored.size();
    return !stored.isEmpty();
  }

  @Override
  public long deadLetters() {
    return dead;
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
    Map<Long, ConsumerRecord<byte[], byte[]>> before = new LinkedHashMap<>(locked);
    locked.clear();
    try {
      for (int i = 0; i < RENEWED_POLLS && any && locked.isEmpty(); i++) {
        consumer.poll(RENEWED).forEach(record -> renewed(record, before.keySet()));
      }
    } catch (RuntimeException e) {
      before.forEach(locked::putIfAbsent);
      throw e;
    }
    held.keySet().retainAll(locked.keySet());
    unread.retainAll(locked.keySet());
  }

  /** Has a record that a renewal gave, late perhaps: after the one for which it was asked. */
  private void renewed(ConsumerRecord<byte[], byte[]> record, Set<Long> known) {
    long sequence = SourceMessages.sequence(record);
    if (known.contains(sequence) || batch.contains(sequence)) {
      locked.put(sequence, record);
    } else {
      add(record); // new, and to be acknowledged like the others before the next poll
    }
  }

  @Override
  public void close() {
    try {
      held.replaceAll((sequence, hold) -> new Hold(time.nanoTime(), hold.reason()));
      finishHeld();
      for (ConsumerRecord<byte[], byte[]> record : List.copyOf(locked.values())) {
        if (deliveries(record) >= source.group().limit()) {
          LOG.error(
              "Group {}: {} is delivered no more, and its dead letter could not be written; it is"
                  + " still in its topic",
              source.settings().group(),
              SourceMessages.place(record));
        }
        finish(record, AcknowledgeType.RELEASE);
      }
    } catch (RuntimeException e) { // the locks end by themselves
      LOG.debug("Group {}: not everything was given back", source.settings().group(), e);
    } finally {
      try {
        consumer.close(CLOSE);
      } finally {
        deadLetters.close();
      }
    }
  }
}
