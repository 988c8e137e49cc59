package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One message to be published: the data, and perhaps a key, headers, an id, an expiry and a delay.
 *
 * <p>Immutable; each {@code with…} method returns a new message. The data is not copied, and must
 * not be changed afterwards.
 */
public final class NewMessage {
  private final byte[] data;
  private final Parts parts;

  /** All but the data. */
  private record Parts(
      @Nullable String key,
      @Nullable String id,
      Map<String, byte[]> headers,
      @Nullable Duration delay,
      @Nullable Duration expiry) {}

  private NewMessage(byte[] data, Parts parts) {
    this.data = data;
    this.parts = parts;
  }

  /** A message with this data. */
  public static NewMessage of(byte[] data) {
    return new NewMessage(
        Objects.requireNonNull(data, "data"), new Parts(null, null, Map.of(), null, null));
  }

  /** A message with this text, in UTF-8. */
  public static NewMessage text(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A message with this object as JSON, as Jackson writes it by default.
   *
   * @throws IllegalArgumentException it cannot be written
   */
  public static NewMessage json(Object value) {
    return of(Wire.write(value));
  }

  /**
   * The same message with a key.
   *
   * @param key 1 to 4,096 characters
   */
  public NewMessage withKey(String key) {
    Objects.requireNonNull(key, "key");
    return with(new Parts(key, parts.id, parts.headers, parts.delay, parts.expiry));
  }

  /**
   * The same message with an id: a queue that deduplicates stores one message of an id within its
   * window. Without one, the client gives it a random one when it is published.
   *
   * @param id 1 to 1,024 characters
   */
  public NewMessage withId(String id) {
    Objects.requireNonNull(id, "id");
    return with(new Parts(parts.key, id, parts.headers, parts.delay, parts.expiry));
  }

  /** The same message with one header more; a header of the same name is replaced. */
  public NewMessage withHeader(String name, String value) {
    return withHeader(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Likewise, for bytes, which are copied. */
  public NewMessage withHeader(String name, byte[] value) {
    Map<String, byte[]> more = new LinkedHashMap<>(parts.headers);
    more.put(Objects.requireNonNull(name, "name"), value.clone());
    return with(
        new Parts(
            parts.key, parts.id, Collections.unmodifiableMap(more), parts.delay, parts.expiry));
  }

  /**
   * The same message, to be delivered so long after it is published, and not before.
   *
   * @param time in whole milliseconds
   */
  public NewMessage deliverAfter(Duration time) {
    Wire.text(time); // refuses what cannot be told
    return with(new Parts(parts.key, parts.id, parts.headers, time, parts.expiry));
  }

  /**
   * The same message, not to be delivered any more so long after it was published.
   *
   * @param time positive, in whole milliseconds
   */
  public NewMessage expiresAfter(Duration time) {
    if (time.isZero()) {
      throw new IllegalArgumentException("an expiry after " + time);
    }
    Wire.text(time);
    return with(new Parts(parts.key, parts.id, parts.headers, parts.delay, time));
  }

  private NewMessage with(Parts others) {
    return new NewMessage(data, others);
  }

  /** The data; must not be changed. */
  public byte[] data() {
    return data;
  }

  /** The key, or null. */
  public @Nullable String key() {
    return parts.key;
  }

  /** The id, or null. */
  public @Nullable String id() {
    return parts.id;
  }

  /** The headers in the order in which they were given, unmodifiable. */
  public Map<String, byte[]> headers() {
    return parts.headers;
  }

  /** How long after it was published it is delivered, or null: at once. */
  public @Nullable Duration delay() {
    return parts.delay;
  }

  /** How long after it was published it expires, or null: never. */
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
