package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message as it stands in a queue. Immutable; the arrays must not be changed. */
public class StoredMessage {
  private final Wire.MessageJson read;
  private final byte[] data;
  private final Map<String, byte[]> headers;

  StoredMessage(Wire.MessageJson read) {
    this.read = read;
    this.data = read.bytes();
    this.headers = read.headerBytes();
  }

  /** The sequence that the message's publisher was told. */
  public final long sequence() {
    return read.sequence();
  }

  /** When it was published. */
  public final Instant publishedAt() {
    return read.publishedAt();
  }

  /** The key, or null. */
  public final @Nullable String key() {
    return read.key();
  }

  /** The headers, unmodifiable. */
  public final Map<String, byte[]> headers() {
    return headers;
  }

  /** A header as text in UTF-8, or null if it is not there. */
  public final @Nullable String header(String name) {
    byte[] value = headers.get(name);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /** The data. */
  public final byte[] data() {
    return data;
  }

  /** The data as text in UTF-8. */
  public final String text() {
    return new String(data, StandardCharsets.UTF_8);
  }

  /**
   * The data as an object of JSON, as Jackson reads it by default; unknown fields are passed over.
   *
   * @throws IllegalArgumentException it cannot be read so
   */
  public final <T> T json(Class<T> type) {
    return Wire.read(data, type);
  }

  /** What the server said of it besides. */
  final Wire.MessageJson read() {
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
