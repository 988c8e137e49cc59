package com.wookler.river.core.message;

import com.wookler.river.common.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One message to be published: the data, and perhaps a key, headers, an id, an expiry and a delay.
 *
 * <p>Immutable; each {@code with…} method returns a new message. Header values are copied on the
 * way in and must not be changed on the way out.
 *
 * @param <M> type of the data, converted to bytes by the queue's {@link MessageConverter}
 */
public final class Message<M> {
  /** The longest that a message can be delayed. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(366);

  private final M data;
  private final @Nullable String key;
  private final Map<String, byte[]> headers;
  private final @Nullable Terms terms;
  private final @Nullable Instant deliverAt; // then the terms have no delay yet

  private Message(
      M data,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable Terms terms,
      @Nullable Instant deliverAt) {
    this.data = data;
    this.key = key;
    this.headers = headers;
    this.terms = terms;
    this.deliverAt = deliverAt;
  }

  /** Returns a message with this data, without key and headers. */
  public static <M> Message<M> of(M data) {
    return new Message<>(Objects.requireNonNull(data, "data"), null, Map.of(), null, null);
  }

  /**
   * Returns the same message with a key of at most 65,535 bytes in UTF-8; the publish refuses half
   * a surrogate pair, which UTF-8 cannot hold.
   */
  public Message<M> withKey(String key) {
    return new Message<>(data, Objects.requireNonNull(key, "key"), headers, terms, deliverAt);
  }

  /**
   * Returns the same message with one header more, whose value is copied; one of the same name is
   * replaced. A name has at most 65,535 bytes in UTF-8, a message at most 65,535 headers.
   */
  public Message<M> withHeader(String name, byte[] value) {
    Map<String, byte[]> more = new LinkedHashMap<>(headers);
    more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value").clone());
    return new Message<>(data, key, Collections.unmodifiableMap(more), terms, deliverAt);
  }

  /** Returns the same message without the header of a name; itself, if it has none. */
  public Message<M> withoutHeader(String name) {
    if (!headers.containsKey(Objects.requireNonNull(name, "name"))) {
      return this;
    }
    Map<String, byte[]> fewer = new LinkedHashMap<>(headers);
    fewer.remove(name);
    return new Message<>(data, key, Collections.unmodifiableMap(fewer), terms, deliverAt);
  }

  /**
   * Returns the same message with an id of at most 65,535 bytes in UTF-8. A queue that deduplicates
   * ({@code queue.deduplicate}) stores one message of an id within its window; a publish of a
   * duplicate returns the sequence of the first.
   *
   * @throws com.wookler.river.common.errors.RiverException half a surrogate pair is in it, so that
   *     it has no UTF-8 form, and another id might be taken for it
   */
  public Message<M> withId(String id) {
    Objects.requireNonNull(id, "id");
    for (int i = 0; i < id.length(); i++) {
      if (Character.isSurrogate(id.charAt(i))) {
        Converters.utf8(id); // refuses
        break;
      }
    }
    return with(new Terms(id, expiryMicros(), delayMicros()));
  }

  /**
   * Returns the same message with an expiry: when that time, positive and kept to the microsecond,
   * has passed since the publish, the message is not delivered any more. Longer than its delay.
   */
  public Message<M> expiresAfter(Duration time) {
    if (Objects.requireNonNull(time, "time").isNegative() || time.isZero()) {
      throw new IllegalArgumentException("an expiry after " + time);
    }
    return with(terms(Micros.of(time), delayMicros()));
  }

  /** Returns a message of other data with the same key, headers, id and times. */
  public <T> Message<T> withData(T other) {
    return new Message<>(Objects.requireNonNull(other, "data"), key, headers, terms, deliverAt);
  }

  /**
   * Returns the same message with a delay: it is delivered when that time has passed since the
   * publish, and not before.
   *
   * <p>The publish returns at once, with the message's sequence, and the message is as durable as
   * any. Until it is due, it delays neither later messages nor the removal of blocks. When it is
   * due it comes after all that was published until then, and is delivered with its sequence to
   * every subscriber that exists at that moment. Its expiry counts from the publish.
   *
   * <p>The queue's clock counts: where that shows another time after a restart, a message that was
   * in the files of delayed messages is due at the time that was stored there.
   *
   * @param time to the microsecond; zero: at once; up to {@link #LONGEST_DELAY}, below the expiry
   */
  public Message<M> deliverAfter(Duration time) {
    if (Objects.requireNonNull(time, "time").isNegative() || time.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "a delay of " + time + "; zero to " + LONGEST_DELAY.toDays() + " days are allowed");
    }
    Terms delayed = terms(expiryMicros(), Micros.of(time));
    return new Message<>(data, key, headers, delayed, null);
  }

  /**
   * Returns the same message with a time before which it is not delivered, instead of a delay: the
   * publish makes it one, by the queue's clock, and refuses a time that is further away than {@link
   * #LONGEST_DELAY}, or not before the expiry. A time that has passed: at once. A publish that
   * waits for capacity delays it as long.
   */
  public Message<M> deliverAt(Instant time) {
    Terms undelayed = terms == null ? null : new Terms(id(), expiryMicros(), 0);
    return new Message<>(data, key, headers, undelayed, Objects.requireNonNull(time, "time"));
  }

  /** Returns the same message with the delay from now on that its time of delivery means. */
  public Message<M> delayedFrom(Instant now) {
    if (deliverAt == null) {
      return this;
    }
    Duration left = Duration.between(now, deliverAt);
    if (left.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "a delivery at %s; at most %d days from now, %s, are allowed"
              .formatted(deliverAt, LONGEST_DELAY.toDays(), now));
    }
    return deliverAfter(left.isNegative() ? Duration.ZERO : left);
  }

  private Terms terms(long expiry, long delay) {
    if (expiry > 0 && expiry <= delay) {
      throw new IllegalArgumentException(
          "an expiry after %s with a delay of %s: the message would never be delivered"
              .formatted(Micros.toDuration(expiry), Micros.toDuration(delay)));
    }
    return new Terms(id(), expiry, delay);
  }

  private Message<M> with(Terms more) {
    return new Message<>(data, key, headers, more, deliverAt);
  }

  private long expiryMicros() {
    return terms == null ? 0 : terms.expiryMicros();
  }

  private long delayMicros() {
    return terms == null ? 0 : terms.delayMicros();
  }

  /** Returns the data. */
  public M data() {
    return data;
  }

  /** Returns the key, or null where none was given. */
  public @Nullable String key() {
    return key;
  }

  /** Returns the headers in the order in which they were given; unmodifiable. */
  public Map<String, byte[]> headers() {
    return headers;
  }

  /** Returns the id, or null where none was given. */
  public @Nullable String id() {
    return terms == null ? null : terms.id();
  }

  /** Returns how long after it was published it expires, or null: never. */
  public @Nullable Duration expiry() {
    return expiryMicros() == 0 ? null : Micros.toDuration(expiryMicros());
  }

  /** Returns how long after it was published it is delivered, or null: at once. */
  public @Nullable Duration delay() {
    return delayMicros() == 0 ? null : Micros.toDuration(delayMicros());
  }

  /** Returns when it may be delivered, or null: that is not given, or is a delay. */
  public @Nullable Instant deliverAt() {
    return deliverAt;
  }

  /** Returns all of these as they are stored, or null if there are none. */
  public @Nullable Terms terms() {
    return terms;
  }

  @Override
  public String toString() {
    return "Message[key=" + key + ", headers=" + headers.keySet() + ", data=" + data + "]";
  }
}
