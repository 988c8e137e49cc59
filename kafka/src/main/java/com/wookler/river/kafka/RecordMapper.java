package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Makes a record of a message: its key in UTF-8, its data, its headers, the time at which it was
 * published, and headers that name it.
 *
 * @param <M> type of the data
 */
final class RecordMapper<M> {
  /** Header with the queue that the message is of: its name and identity. */
  static final String QUEUE = "river-queue";

  /** Header with the message's sequence, 8 bytes, the highest first. */
  static final String SEQUENCE = "river-sequence";

  /** Header with the id that the message was published with, if it has one. */
  static final String ID = "river-id";

  private final MessageQueue<M> queue;
  private final Function<? super Delivery<M>, @Nullable String> topic;
  private final byte[] origin;

  RecordMapper(
      MessageQueue<M> queue, Function<? super Delivery<M>, @Nullable String> topic, String origin) {
    this.queue = queue;
    this.topic = topic;
    this.origin = origin.getBytes(StandardCharsets.UTF_8);
  }

  ProducerRecord<byte @Nullable [], byte[]> record(Delivery<M> delivery) {
    ProducerRecord<byte @Nullable [], byte[]> record =
        new ProducerRecord<>(
            topic(delivery),
            null,
            delivery.publishedAt().toEpochMilli(),
            utf8(delivery.key()),
            bytes(delivery));
    Headers headers = record.headers();
    for (Map.Entry<String, byte[]> header : delivery.headers().entrySet()) {
      headers.add(header.getKey(), header.getValue());
    }
    headers.add(QUEUE, origin);
    headers.add(SEQUENCE, ByteBuffer.allocate(Long.BYTES).putLong(delivery.sequence()).array());
    byte[] id = utf8(delivery.id());
    if (id != null) {
      headers.add(ID, id);
    }
    return record;
  }

  private String topic(Delivery<M> delivery) {
    try {
      String name = topic.apply(delivery);
      if (name != null && !name.isBlank()) {
        return name;
      }
    } catch (RuntimeException e) {
      throw new UnmappableException("the function of the topic failed: " + e, e);
    }
    throw new UnmappableException("the function of the topic returned no name");
  }

  private byte[] bytes(Delivery<M> delivery) {
    byte[] stored = delivery.bytes();
    return stored != null ? stored : queue.converter().toBytes(delivery.data());
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
