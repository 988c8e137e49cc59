package com.wookler.river.core.message;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns a queue's data into bytes and back. One that is named in XML needs a public constructor
 * without parameters.
 *
 * <p>Must be thread-safe: publishers call {@link #toBytes} from any number of threads at once,
 * consumers {@link #fromBytes}; no lock is held across either. An exception from {@code toBytes}
 * leaves publish with nothing stored; one from {@code fromBytes} leaves {@code Delivery.data()} and
 * touches no other message.
 *
 * @param <M> type of the data
 */
public interface MessageConverter<M> {
  /** Returns the bytes to store; may be empty. The array must not be changed afterwards. */
  byte[] toBytes(M data);

  /** Returns the data that {@link #toBytes} made these bytes of. */
  M fromBytes(byte[] bytes);

  /**
   * Returns the data that {@link #toBytes} made these bytes of. The default passes a copy of them
   * to {@link #fromBytes}; a converter that can read a buffer saves the copy.
   *
   * @param bytes read-only, from its position to its limit; not to be kept
   */
  default M fromBuffer(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return fromBytes(copy);
  }

  /**
   * Returns stored data as people are to see it where its bytes are not text, such as JSON for a
   * binary schema. The REST server adds it to what it answers to readers, and its console shows it,
   * cut after 1,048,576 characters; an exception is as null. The default is null: there are only
   * the bytes. A converter that encrypts should leave it so, because all who may read the queue
   * would see what it returns.
   *
   * @param bytes a copy, which may be changed
   */
  default @Nullable String toText(byte[] bytes) {
    return null;
  }

  /** Strings as UTF-8. Half a surrogate pair, which UTF-8 cannot hold, is refused. */
  static MessageConverter<String> utf8() {
    return Converters.UTF8;
  }

  /** Bytes as they are, not copied: neither side may change an array that it has passed. */
  static MessageConverter<byte[]> bytes() {
    return Converters.BYTES;
  }

  /**
   * JSON by Jackson with default typing off: only {@code type} and what its fields declare is ever
   * made. Unknown fields are ignored, so that an older reader takes a newer writer's messages.
   */
  static <T> MessageConverter<T> json(Class<T> type) {
    return new Converters.Json<>(type);
  }
}
