package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.SourceMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Makes messages of a reactor of records. */
final class SourceMessages {
  private static final int OFFSET_BITS = 48;
  private static final MessageMapper<byte[]> MAPPER = new MessageMapper<>(MessageConverter.bytes());

  private SourceMessages() {}

  /**
   * Checks properties of a consumer.
   *
   * @throws ConfigurationException Kafka refuses one
   */
  static void check(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    ClientProperties.accepted(() -> new ConsumerConfig(all));
    ClientProperties.checkTimeouts(properties);
    Map<String, Object> letters = DeadLetterTopic.properties(all);
    letters.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    letters.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    ClientProperties.accepted(() -> new ProducerConfig(letters));
  }

  /** Returns a name by the rule of names of subscribers. */
  static String name(String group) {
    return group.replaceAll("[^A-Za-z0-9._-]", "-");
  }

  /** Returns what names a record within its topic: partition and offset in one number. */
  static long sequence(ConsumerRecord<?, ?> record) {
    return sequence(record.partition(), record.offset());
  }

  static long sequence(int partition, long offset) {
    return ((long) partition << OFFSET_BITS) | offset;
  }

  static <M> SourceMessage<M> of(
      ConsumerRecord<byte[], byte[]> record, int attempt, MessageConverter<M> converter) {
    Message<byte[]> message = MAPPER.message(record);
    return new SourceMessage<>(
        new SourceMessage.Parts(
            sequence(record),
            attempt,
            message.key(),
            message.headers(),
            id(message.headers()),
            Instant.ofEpochMilli(record.timestamp())),
        message.data(),
        converter);
  }

  private static @Nullable String id(Map<String, byte[]> headers) {
    byte[] id = headers.get(RecordMapper.ID);
    return id == null ? null : new String(id, StandardCharsets.UTF_8);
  }

  /** Returns where a record is, as {@code orders/0/17}. */
  static String place(ConsumerRecord<?, ?> record) {
    return record.topic() + "/" + record.partition() + "/" + record.offset();
  }
}
