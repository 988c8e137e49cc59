package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message stored in a queue. Immutable; the arrays must not be changed. */
public class StoredMessage {
  private final JsonCodec.MessageJson read;
  private final byte[] data;
  private final Map<String, byte[]> headers;

  StoredMessage(JsonCodec.MessageJson read) {
    this.read = read;
    this.data = read.bytes();
    this.headers = read.headerBytes();
  }

  /** Returns the sequence of the message. */
  public final long sequence() {
    return read.sequence();
  }

  /** Returns when the message was published. */
  public final Instant publishedAt() {
    return read.publishedAt();
  }

  /** Returns the id that the message was published with, or null. */
  public final @Nullable String id() {
    return read.id();
  }

  /** Returns the key, or null. */
  public final @Nullable String key() {
    return read.key();
  }

  /** Returns the headers, unmodifiable. */
  public final Map<String, byte[]> headers() {
    return headers;
  }

  /** Returns a header as text in UTF-8, or null if there is none. */
  public final @Nullable String header(String name) {
    byte[] value = headers.get(name);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /** Returns the data. */
  public final byte[] data() {
    return data;
  }

  /** Returns the data as text in UTF-8. */
  public final String text() {
    return new String(data, StandardCharsets.UTF_8);
  }

  /**
   * Deserializes the data from JSON, as Jackson does by default; unknown fields are ignored.
   *
   * @throws IllegalArgumentException the data cannot be deserialized
   */
  public final <T> T json(Class<T> type) {
    return JsonCodec.read(data, type);
  }

  /** Returns the message as the server sent it. */
  final JsonCodec.MessageJson read() {
    return read;
  }

  @Override
  public String toString() {
    return getClass().getSimpleName()
        + "["
        + sequence()
        + ", key="
        + key()
        + ", "
        + data.length
        + " bytes]";
  }
}
