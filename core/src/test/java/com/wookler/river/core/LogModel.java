package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Micros;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.MessageView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What a queue's log must hold, place by place. A message that is delayed has two: where it was
 * published, at which subscribers pass it over, and behind what there was when it fell due.
 */
final class LogModel {
  /** One place; due is 0 where the message is delivered. */
  private record Entry(Message<byte[]> message, long sequence, long micros, long due, long told) {}

  private final TimeSource time;
  private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
  private final Set<Long> compacted = ConcurrentHashMap.newKeySet();
  private final PriorityQueue<Entry> putOff =
      new PriorityQueue<>(Comparator.comparing(Entry::due).thenComparing(Entry::sequence));

  private final Set<Long> removed = new HashSet<>();
  private final Set<Long> erased = ConcurrentHashMap.newKeySet();

  LogModel(TimeSource time) {
    this.time = time;
  }

  /** A message was published, perhaps beside others; the time stands still meanwhile. */
  void published(long sequence, Message<byte[]> message) {
    long now = time.epochMicros();
    Duration delay = message.delay();
    Entry entry =
        new Entry(message, sequence, now, delay == null ? 0 : now + delay.toNanos() / 1_000, now);
    assertThat(entries.put(sequence, entry)).as("sequence %s twice", sequence).isNull();
    if (delay != null) {
      synchronized (putOff) {
        putOff.add(entry);
      }
    }
  }

  /** The time has moved: what is due now gets its second place. */
  void fallDue() {
    long now = time.epochMicros();
    while (!putOff.isEmpty() && putOff.peek().due <= now) {
      Entry due = putOff.remove();
      if (removed.contains(due.sequence)) {
        continue;
      }
      entries.put(end(), new Entry(due.message, due.sequence, now, 0, due.told));
    }
  }

  /** Behind the last place. */
  long end() {
    return entries.size();
  }

  /** How many wait to be due. */
  long delayed() {
    return putOff.size();
  }

  /** Whether no subscriber is given what stands here. */
  boolean isPassedOver(long place) {
    return isDelayed(place) || isRemoved(place) || compacted.contains(place);
  }

  /** Whether what stands here was redriven for a subscriber, and this is another. */
  boolean isForAnother(long place, String subscriber) {
    byte[] to = entries.get(place).message.headers().get(DeadLetters.REDRIVEN_TO);
    return to != null && !subscriber.equals(new String(to, StandardCharsets.UTF_8));
  }

  /** Whether a message was published here that comes at another place. */
  boolean isDelayed(long place) {
    return entries.get(place).due > 0;
  }

  /** What stands here was removed: a later one that subscribers are given must have its key. */
  void compacted(long place) {
    String key = key(place);
    assertThat(key).as("key of %s, which was removed", place).isNotNull();
    long last = last(key).orElse(-1);
    assertThat(last).as("last of %s", key).isGreaterThan(place);
    assertThat(isRemoved(last)).as("whether %s was removed", last).isFalse();
    compacted.add(place);
  }

  /** Whether a message waits to be due. */
  boolean waits(long place) {
    return isDelayed(place) && entries.get(place).due > time.epochMicros();
  }

  /** What stands at these places was removed. */
  void removed(long from, long end) {
    for (long place = from; place < end; place++) {
      removed.add(place);
    }
  }

  /** The message at a place was taken back, and the delayed one of which it is a copy. */
  void cancelled(long place) {
    removed.add(place);
    removed.add(sequence(place));
  }

  /** Nothing is left of what was here. */
  void erased(long place) {
    cancelled(place);
    erased.add(place);
  }

  boolean isErased(long place) {
    return erased.contains(place);
  }

  /** Whether any message with a key was erased. */
  boolean isErased(String key) {
    return erased.stream().anyMatch(place -> key.equals(key(place)));
  }

  boolean isRemoved(long place) {
    return removed.contains(place) || removed.contains(entries.get(place).sequence);
  }

  /** The places of all that is to be seen. */
  List<Long> present() {
    return LongStream.range(0, end())
        .filter(place -> !isRemoved(place) && !compacted.contains(place))
        .boxed()
        .toList();
  }

  /** Places at which a subscriber is given nothing. */
  long passedOver(String subscriber) {
    return LongStream.range(0, end())
        .filter(place -> isPassedOver(place) || isForAnother(place, subscriber))
        .count();
  }

  /** The next place that subscribers are given; housekeeping may have had them pass the others. */
  long behindPassedOver(long place) {
    long next = place;
    while (next < end() && isPassedOver(next)) {
      next++;
    }
    return next;
  }

  /** The key of what stands here, or null. */
  String key(long place) {
    return entries.get(place).message.key();
  }

  /** Whether what stands here was redriven for one subscriber. */
  boolean isRedriven(long place) {
    return entries.get(place).message.headers().containsKey(DeadLetters.REDRIVEN_TO);
  }

  /** The last place of a key of those that all subscribers are given. */
  OptionalLong last(String key) {
    return entries.entrySet().stream()
        .filter(at -> at.getValue().due == 0 && key.equals(at.getValue().message.key()))
        .filter(at -> !erased.contains(at.getKey()) && !isRedriven(at.getKey()))
        .mapToLong(Map.Entry::getKey)
        .max();
  }

  /** When this place was written. */
  Instant writtenAt(long place) {
    return Micros.toInstant(entries.get(place).micros);
  }

  /** The first place that was written at this time or later. */
  long firstAt(Instant at) {
    long place = 0;
    while (place < end() && writtenAt(place).isBefore(at)) {
      place++;
    }
    return place;
  }

  /** The sequence that its publisher was told of what stands here. */
  long sequence(long place) {
    return entries.get(place).sequence;
  }

  void shouldBeAsPublished(Delivery<byte[]> delivery) {
    Entry entry = entries.get(delivery.place());
    assertThat(delivery.sequence()).isEqualTo(entry.sequence);
    assertThat(delivery.publishedAt()).isEqualTo(Micros.toInstant(entry.told));
    shouldBe(entry.message, delivery.data(), delivery.key(), delivery.headers());
  }

  void shouldBeAsPublished(MessageView view) {
    Entry entry = entries.get(view.place());
    assertThat(view.sequence()).isEqualTo(entry.sequence);
    assertThat(view.publishedMicros()).isEqualTo(entry.told);
    byte[] data = new byte[view.length()];
    view.copyTo(data, 0);
    assertThat(view.data().remaining()).isEqualTo(data.length);
    shouldBe(entry.message, data, view.key(), view.headers());
  }

  void shouldBeAsPublished(StoredMessage stored) {
    Entry entry = entries.get(stored.sequence());
    assertThat(stored.originalSequence()).isEqualTo(entry.sequence);
    shouldBe(entry.message, stored.data(), stored.key(), stored.headers());
  }

  private static void shouldBe(
      Message<byte[]> message, byte[] data, @Nullable String key, Map<String, byte[]> headers) {
    assertThat(data).isEqualTo(message.data());
    assertThat(key).isEqualTo(message.key());
    assertThat(headers.keySet()).containsExactlyElementsOf(message.headers().keySet());
    headers.forEach((name, value) -> assertThat(value).isEqualTo(message.headers().get(name)));
  }
}
