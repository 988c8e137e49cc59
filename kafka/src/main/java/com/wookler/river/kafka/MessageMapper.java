package com.wookler.river.kafka;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Makes a message of a record: the reverse of {@link RecordMapper}.
 *
 * @param <M> type of the data
 */
final class MessageMapper<M> {
  /** Header with the place of the record: topic, partition and offset. */
  static final String PLACE = "kafka-place";

  /** Header with the time of the record, milliseconds since 1970, 8 bytes, the highest first. */
  static final String TIME = "kafka-time";

  /** Header with a key that is not UTF-8; the message's key is its Base64 then. */
  static final String KEY = "kafka-key";

  private static final byte[] NOTHING = {};
  private static final Set<String> OF_THE_QUEUE =
      Set.of("river-origin", "river-expired", "river-continues", "river-replaced");

  private final MessageConverter<M> converter;

  MessageMapper(MessageConverter<M> converter) {
    this.converter = converter;
  }

  Message<M> message(ConsumerRecord<byte[], byte[]> record) {
    byte[] value = record.value(); // null: a delete marker, as no data is one in a queue
    Message<M> message = Message.of(converter.fromBytes(value == null ? NOTHING : value));
    for (Header header : record.headers()) {
      byte[] bytes = header.value() == null ? NOTHING : header.value();
      if (!OF_THE_QUEUE.contains(header.key())) {
        message = message.withHeader(header.key(), bytes);
      }
    }
    message = withKey(message, record.key());
    return message
        .withHeader(PLACE, SourceMessages.place(record).getBytes(StandardCharsets.UTF_8))
        .withHeader(TIME, ByteBuffer.allocate(Long.BYTES).putLong(record.timestamp()).array());
  }

  private static <M> Message<M> withKey(Message<M> message, byte[] key) {
    if (key == null) {
      return message;
    }
    try {
      return message.withKey(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString());
    } catch (CharacterCodingException e) {
      return message.withKey(Base64.getEncoder().encodeToString(key)).withHeader(KEY, key);
    }
  }
}
