package com.wookler.river.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A record that a group's consumer has read and not completed. Confined to its thread. */
final class HeldRecord {
  private final ConsumerRecord<byte[], byte[]> record;
  private int deliveries;
  private boolean taken;
  private boolean done;
  private long dueNanos;
  private @Nullable String deadBecause;

  HeldRecord(ConsumerRecord<byte[], byte[]> record, long now) {
    this.record = record;
    this.dueNanos = now;
  }

  ConsumerRecord<byte[], byte[]> record() {
    return record;
  }

  /** Returns about how much memory it takes. */
  long bytes() {
    return Math.max(0, record.serializedKeySize())
        + (long) Math.max(0, record.serializedValueSize());
  }

  @Nullable String key() {
    return record.key() == null ? null : new String(record.key(), StandardCharsets.ISO_8859_1);
  }

  boolean isDone() {
    return done;
  }

  boolean mayBeTaken(long now) {
    return !done && !taken && deadBecause == null && dueNanos - now <= 0;
  }

  /** Returns whether it waits until it is due. */
  boolean waits(long now) {
    return !done && !taken && dueNanos - now > 0;
  }

  long dueNanos() {
    return dueNanos;
  }

  /** Returns why it is to be a dead letter, if that is to be tried now. */
  @Nullable String deadBecause(long now) {
    return !done && dueNanos - now <= 0 ? deadBecause : null;
  }

  /** Returns which delivery this is. */
  int take() {
    taken = true;
    return ++deliveries;
  }

  int deliveries() {
    return deliveries;
  }

  void complete() {
    done = true;
    taken = false;
  }

  void deliverAgain(long due, boolean counts) {
    taken = false;
    dueNanos = due;
    if (!counts) {
      deliveries--;
    }
  }

  /** Has it made a dead letter, from a time on. */
  void holdDead(String reason, long due) {
    taken = false;
    deadBecause = reason;
    dueNanos = due;
  }
}
