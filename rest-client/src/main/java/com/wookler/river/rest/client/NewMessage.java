package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to be published: the data, and optionally a key, headers, an id, an expiry and a delay.
 *
 * <p>Immutable; each {@code with…} method returns a new message. The data is not copied, and must
 * not be changed afterwards.
 */
public final class NewMessage {
  private final byte[] data;
  private final Parts parts;

  /** The attributes of a message besides its data. */
  private record Parts(
      @Nullable String key,
      @Nullable String id,
      Map<String, byte[]> headers,
      @Nullable Duration delay,
      @Nullable Instant deliverAt,
      @Nullable Duration expiry) {}

  private NewMessage(byte[] data, Parts parts) {
    this.data = data;
    this.parts = parts;
  }

  /** Creates a message. */
  public static NewMessage of(byte[] data) {
    return new NewMessage(
        Objects.requireNonNull(data, "data"), new Parts(null, null, Map.of(), null, null, null));
  }

  /** Creates a message from a text, encoded in UTF-8. */
  public static NewMessage text(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Creates a message from an object, serialized to JSON as Jackson does by default.
   *
   * @throws IllegalArgumentException the object cannot be serialized
   */
  public static NewMessage json(Object value) {
    return of(JsonCodec.write(value));
  }

  /**
   * Returns the message with a key.
   *
   * @param key 1 to 4,096 characters
   */
  public NewMessage withKey(String key) {
    Objects.requireNonNull(key, "key");
    return with(
        new Parts(key, parts.id, parts.headers, parts.delay, parts.deliverAt, parts.expiry));
  }

  /**
   * Returns the message with an id: a queue that deduplicates stores one message of each id within
   * its window. Without an id, the client assigns a random one when the message is published.
   *
   * @param id 1 to 1,024 characters
   */
  public NewMessage withId(String id) {
    Objects.requireNonNull(id, "id");
    return with(
        new Parts(parts.key, id, parts.headers, parts.delay, parts.deliverAt, parts.expiry));
  }

  /** Returns the message with one more header. A header of the same name is replaced. */
  public NewMessage withHeader(String name, String value) {
    return withHeader(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the message with one more header, whose bytes are copied. A header of the same name is
   * replaced.
   */
  public NewMessage withHeader(String name, byte[] value) {
    Map<String, byte[]> more = new LinkedHashMap<>(parts.headers);
    more.put(Objects.requireNonNull(name, "name"), value.clone());
    return with(
        new Parts(
            parts.key,
            parts.id,
            Collections.unmodifiableMap(more),
            parts.delay,
            parts.deliverAt,
            parts.expiry));
  }

  /**
   * Returns the message with a delay: it is not delivered before this time has passed since it was
   * published.
   *
   * @param time in whole milliseconds
   */
  public NewMessage deliverAfter(Duration time) {
    JsonCodec.formatDuration(time); // rejects what the contract cannot express
    return with(new Parts(parts.key, parts.id, parts.headers, time, null, parts.expiry));
  }

  /**
   * Returns the message with a time before which it is not delivered, by the server's clock,
   * instead of a delay.
   */
  public NewMessage deliverAt(Instant time) {
    Objects.requireNonNull(time, "time");
    return with(new Parts(parts.key, parts.id, parts.headers, null, time, parts.expiry));
  }

  /**
   * Returns the message with a time to live: it is not delivered once this time has passed since it
   * was published.
   *
   * @param time positive, in whole milliseconds
   */
  public NewMessage expiresAfter(Duration time) {
    if (time.isZero()) {
      throw new IllegalArgumentException("an expiry of " + time + "; it must be positive");
    }
    JsonCodec.formatDuration(time);
    return with(new Parts(parts.key, parts.id, parts.headers, parts.delay, parts.deliverAt, time));
  }

  private NewMessage with(Parts others) {
    return new NewMessage(data, others);
  }

  /** Returns the data, which must not be changed. */
  public byte[] data() {
    return data;
  }

  /** Returns the key, or null. */
  public @Nullable String key() {
    return parts.key;
  }

  /** Returns the id, or null. */
  public @Nullable String id() {
    return parts.id;
  }

  /** Returns the headers in the order in which they were added, unmodifiable. */
  public Map<String, byte[]> headers() {
    return parts.headers;
  }

  /** Returns the delay before delivery, or null for none. */
  public @Nullable Duration delay() {
    return parts.delay;
  }

  /** Returns the time before which it is not delivered, or null for none. */
  public @Nullable Instant deliverAt() {
    return parts.deliverAt;
  }

  /** Returns the time to live, or null for none. */
  public @Nullable Duration expiry() {
    return parts.expiry;
  }

  @Override
  public String toString() {
    return "NewMessage[key="
        + parts.key
        + ", id="
        + parts.id
        + ", headers="
        + parts.headers.keySet()
        + ", "
        + data.length
        + " bytes]";
  }
}
