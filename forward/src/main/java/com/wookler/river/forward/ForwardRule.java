package com.wookler.river.forward;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.ValueExpression;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which messages a target gets, and as what. Counts each message once, though it may be read
 * several times. Changed under the lock of its forward; the numbers are read by any thread.
 */
final class ForwardRule {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int MOST_BYTES = 0xFFFF; // of a key, and of a header's name
  private static final int MOST_DATA = 128 << 20; // of any queue

  private ForwardConfig config;
  private @Nullable FilterExpression filter; // of its own, whose failures are those of here
  private long judgedBelow; // sequences that are counted
  private final AtomicLong filtered = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private String lastFailure = "";

  ForwardRule(ForwardConfig config) {
    this.config = config;
    this.filter = own(config);
  }

  private static @Nullable FilterExpression own(ForwardConfig config) {
    FilterExpression given = config.filter();
    return given == null ? null : FilterExpression.parse(given.text());
  }

  ForwardConfig config() {
    return config;
  }

  /** Judges by other settings from now on. */
  void become(ForwardConfig other) {
    filter = own(other);
    config = other;
  }

  long filtered() {
    return filtered.get();
  }

  long failed() {
    return failed.get();
  }

  String lastFailure() {
    return lastFailure;
  }

  /**
   * Returns a message as the target gets it; null if it gets none.
   *
   * @throws Failure an expression fails over it, and the forward is to wait
   */
  @Nullable StoredMessage apply(StoredMessage message) {
    boolean counts = message.sequence() >= judgedBelow;
    judgedBelow = Math.max(judgedBelow, message.sequence() + 1);
    try {
      if (!passes(message)) {
        filtered.addAndGet(counts ? 1 : 0);
        return null;
      }
      return mapped(message);
    } catch (IllegalArgumentException e) {
      failed.addAndGet(counts ? 1 : 0);
      lastFailure = String.valueOf(e.getMessage());
      if (config.onFailure() == OnFailure.WAIT) {
        throw new Failure(message.sequence(), e);
      }
      return config.onFailure() == OnFailure.PASS ? message : null;
    }
  }

  /** An expression failed over a message, which waits. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(long sequence, IllegalArgumentException cause) {
      super("sequence " + sequence + ": " + cause.getMessage(), cause);
    }
  }

  private boolean passes(StoredMessage message) {
    if (filter == null) {
      return true;
    }
    long before = filter.failures();
    boolean matches = filter.matches(message.key(), message.headers(), message.data());
    if (filter.failures() > before) {
      throw new IllegalArgumentException("forward.filter cannot judge it");
    }
    return matches;
  }

  private StoredMessage mapped(StoredMessage message) {
    ValueExpression key = config.key();
    ValueExpression headers = config.headers();
    ValueExpression data = config.data();
    if (key == null && headers == null && data == null) {
      return message;
    }
    return new StoredMessage(
        message.sequence(),
        message.publishedMicros(),
        data == null ? message.data() : data(value(ForwardOptions.DATA.name(), data, message)),
        key == null ? message.key() : key(value(ForwardOptions.KEY.name(), key, message)),
        headers == null
            ? message.headers()
            : headers(message, value(ForwardOptions.HEADERS.name(), headers, message)),
        message.terms());
  }

  private static @Nullable Object value(
      String option, ValueExpression expression, StoredMessage message) {
    try {
      return expression.value(message.key(), message.headers(), message.data());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + " fails: " + e.getMessage(), e);
    }
  }

  private static byte[] data(@Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("forward.data gives nothing");
    }
    byte[] data = bytes(value);
    if (data.length > MOST_DATA) {
      throw new IllegalArgumentException("forward.data gives " + data.length + " bytes");
    }
    return data;
  }

  private static @Nullable String key(@Nullable Object value) {
    if (value instanceof Map || value instanceof Iterable) {
      throw new IllegalArgumentException("forward.key gives no text");
    }
    return value == null ? null : limited("forward.key", value.toString());
  }

  private static Map<String, byte[]> headers(StoredMessage message, @Nullable Object value) {
    if (!(value instanceof Map<?, ?> set)) {
      throw new IllegalArgumentException("forward.headers gives no map");
    }
    Map<String, byte[]> all = new LinkedHashMap<>(message.headers());
    set.forEach(
        (name, text) -> {
          String known = limited("forward.headers", String.valueOf(name));
          if (text == null) {
            all.remove(known);
          } else {
            all.put(known, bytes(text));
          }
        });
    if (all.size() > MOST_BYTES - 1) { // one more is the origin
      throw new IllegalArgumentException("forward.headers gives too many");
    }
    return all;
  }

  /** Returns a text that can be the key, or the name of a header. */
  private static String limited(String option, String text) {
    boolean isWhole = StandardCharsets.UTF_8.newEncoder().canEncode(text);
    if (!isWhole || text.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
      throw new IllegalArgumentException(option + " gives a text that is too long, or not whole");
    }
    return text;
  }

  private static byte[] bytes(Object value) {
    try {
      return value instanceof String text
          ? text.getBytes(StandardCharsets.UTF_8)
          : JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("it gives what is no JSON: " + e.getOriginalMessage(), e);
    }
  }
}
