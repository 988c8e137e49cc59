package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.FLAGS_OF_TERMS;
import static com.wookler.river.core.message.DocumentFormat.FLAG_DELAY;
import static com.wookler.river.core.message.DocumentFormat.FLAG_DUE;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ERASED;
import static com.wookler.river.core.message.DocumentFormat.FLAG_EXPIRY;
import static com.wookler.river.core.message.DocumentFormat.FLAG_HEADERS;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ID;
import static com.wookler.river.core.message.DocumentFormat.FLAG_KEY;
import static com.wookler.river.core.message.DocumentFormat.INT;
import static com.wookler.river.core.message.DocumentFormat.LONG;
import static com.wookler.river.core.message.DocumentFormat.SHORT;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decodes an entry with key, headers or terms, whose checksum is valid. */
final class Entry {
  private final byte[] bytes;
  private int at = 1;

  private Entry(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the message of an entry, from its flags on. */
  static <T> T decode(StoredMessage.Maker<T> maker, long sequence, long micros, byte[] bytes) {
    if ((bytes[0] & FLAG_ERASED) != 0) {
      return maker.make(sequence, micros, new byte[0], null, Map.of(), Terms.ERASED);
    }
    Entry entry = new Entry(bytes);
    String key = (bytes[0] & FLAG_KEY) == 0 ? null : entry.text();
    Map<String, byte[]> headers = (bytes[0] & FLAG_HEADERS) == 0 ? Map.of() : entry.headers();
    Terms terms = (bytes[0] & FLAGS_OF_TERMS) == 0 ? null : entry.terms(bytes[0]);
    byte[] data = entry.bytes(bytes.length - entry.at);
    return maker.make(sequence, micros, data, key, headers, terms);
  }

  private Terms terms(int flags) {
    String id = (flags & FLAG_ID) == 0 ? null : text();
    long expiry = (flags & FLAG_EXPIRY) == 0 ? 0 : number();
    long delay = (flags & FLAG_DELAY) == 0 ? 0 : number();
    Terms.Origin origin = (flags & FLAG_DUE) == 0 ? null : new Terms.Origin(number(), number());
    return new Terms(id, expiry, delay, origin);
  }

  private long number() {
    at += Long.BYTES;
    return (long) LONG.get(bytes, at - Long.BYTES);
  }

  private Map<String, byte[]> headers() {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    for (int number = length(); number > 0; number--) {
      String name = text();
      int value = (int) INT.get(bytes, at);
      at += 4;
      headers.put(name, bytes(value));
    }
    return Collections.unmodifiableMap(headers);
  }

  private String text() {
    int length = length();
    at += length;
    return new String(bytes, at - length, length, StandardCharsets.UTF_8);
  }

  private int length() {
    at += 2;
    return Short.toUnsignedInt((short) SHORT.get(bytes, at - 2));
  }

  private byte[] bytes(int length) {
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }
}
