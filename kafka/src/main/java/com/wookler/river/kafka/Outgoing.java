package com.wookler.river.kafka;

import com.wookler.river.core.subscriber.Delivery;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to Kafka.
 *
 * @param <M> type of the data
 */
final class Outgoing<M> {
  private final Delivery<M> delivery;
  private final @Nullable ProducerRecord<byte @Nullable [], byte[]> record;
  private final @Nullable RuntimeException unmappable;
  private volatile boolean present; // in the topic, without a transaction; set by Kafka's thread

  private Outgoing(
      Delivery<M> delivery,
      @Nullable ProducerRecord<byte @Nullable [], byte[]> record,
      @Nullable RuntimeException unmappable) {
    this.delivery = delivery;
    this.record = record;
    this.unmappable = unmappable;
  }

  static <M> Outgoing<M> of(Delivery<M> delivery, RecordMapper<M> mapper) {
    try {
      return new Outgoing<>(delivery, mapper.record(delivery), null);
    } catch (RuntimeException e) {
      return new Outgoing<>(delivery, null, e);
    }
  }

  Delivery<M> delivery() {
    return delivery;
  }

  /** Returns why no record can be made of it, or null. */
  @Nullable RuntimeException unmappable() {
    return unmappable;
  }

  ProducerRecord<byte @Nullable [], byte[]> record() {
    if (record == null) {
      throw new IllegalStateException("there is no record", unmappable);
    }
    return record;
  }

  boolean isPresent() {
    return present;
  }

  void setPresent() {
    present = true;
  }
}
