package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.ENTRY_LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_PREFIX_BYTES;
import static com.wookler.river.core.message.DocumentFormat.FLAG_DELAY;
import static com.wookler.river.core.message.DocumentFormat.FLAG_DUE;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ERASED;
import static com.wookler.river.core.message.DocumentFormat.FLAG_EXPIRY;
import static com.wookler.river.core.message.DocumentFormat.FLAG_HEADERS;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ID;
import static com.wookler.river.core.message.DocumentFormat.FLAG_KEY;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;

import com.wookler.river.common.errors.RiverException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Builds one document at a time in direct memory, which it keeps and enlarges, so that an append is
 * one copy. Not thread-safe: a publisher's thread fills it outside any lock; the log completes the
 * header under its own ({@link Stamp}).
 */
public final class DocumentWriter {
  private static final int KEPT_BYTES = 1 << 20;
  private static final int FIRST_BYTES = 4 << 10;
  private static final int MAX_SHORT = 0xFFFF;

  private final CRC32C crc = new CRC32C();
  private ByteBuffer buffer = allocate(FIRST_BYTES);
  private int count;
  private long digest;

  /** Begins a document; what was built before is dropped. */
  public void start() {
    finish(); // of a document that could not be built
    buffer.clear().position(HEADER_BYTES);
    count = 0;
    digest = 0;
  }

  /** Adds one message; fails if a key or header is over its limit. */
  public void add(byte[] data, @Nullable String key, Map<String, byte[]> headers) {
    add(data, key, headers, null);
  }

  /** Adds one message with its terms; fails if a key, header or id is over its limit. */
  public void add(
      byte[] data, @Nullable String key, Map<String, byte[]> headers, @Nullable Terms terms) {
    put(data, key, headers.isEmpty() ? headers : ForwardOrigin.without(headers), terms);
  }

  /** Adds a message as a log holds it: with the origins among its headers. */
  public void addStored(StoredMessage message) {
    put(message.data(), message.key(), message.headers(), message.terms());
  }

  private void put(
      byte[] data, @Nullable String key, Map<String, byte[]> headers, @Nullable Terms terms) {
    int start = buffer.position();
    ensure(ENTRY_PREFIX_BYTES + 1 + data.length);
    buffer.position(start + ENTRY_PREFIX_BYTES);
    int flags = (key == null ? 0 : FLAG_KEY) | (headers.isEmpty() ? 0 : FLAG_HEADERS);
    buffer.put((byte) (terms == null ? flags : flags | flags(terms)));
    if (key != null) {
      putText(key, "key");
    }
    if (!headers.isEmpty()) {
      putHeaders(headers);
    }
    if (terms != null) {
      putTerms(terms);
    }
    ensure(data.length);
    buffer.put(data);
    seal(start);
  }

  /** Adds a message from another queue; an origin among its headers is replaced. */
  public void addForwarded(StoredMessage message, @Nullable Terms terms, ForwardOrigin origin) {
    put(message.data(), message.key(), origin.in(message.headers(), ForwardOrigin.HEADER), terms);
  }

  /** Adds a message of a source that is not a queue, with its origin and without an id. */
  public void addFrom(
      byte[] data,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable Terms terms,
      ForwardOrigin origin) {
    put(data, key, origin.in(headers, ForwardOrigin.HEADER), Terms.withoutId(terms));
  }

  /** Adds a message that continues a delivery of another queue; without an id. */
  public void addContinued(byte[] data, Message<?> message, ForwardOrigin origin) {
    Map<String, byte[]> headers = origin.in(message.headers(), ForwardOrigin.CONTINUES);
    put(data, message.key(), headers, Terms.withoutId(message.terms()));
  }

  /** Adds a message that takes the place of another of its queue. */
  public void addReplacing(byte[] data, Message<?> message, ForwardOrigin replaced) {
    Map<String, byte[]> headers = replaced.in(message.headers(), ForwardOrigin.REPLACED);
    put(data, message.key(), headers, message.terms());
  }

  /** Adds a message that expired in another queue; an origin among its headers is replaced. */
  public void addExpired(Message<byte[]> copy, ForwardOrigin origin) {
    put(copy.data(), copy.key(), origin.in(copy.headers(), ForwardOrigin.EXPIRED), null);
  }

  private void seal(int start) {
    int content = start + ENTRY_PREFIX_BYTES;
    int length = buffer.position() - content;
    crc.reset();
    crc.update(buffer.flip().position(content));
    buffer.limit(buffer.capacity());
    int check = DocumentFormat.entryCheck((int) crc.getValue(), length);
    buffer.putInt(start, check).putInt(start + ENTRY_LENGTH_AT, length);
    digest = DocumentFormat.digest(digest, check);
    count++;
  }

  private static int flags(Terms terms) {
    return (terms.id() == null ? 0 : FLAG_ID)
        | (terms.expiryMicros() == 0 ? 0 : FLAG_EXPIRY)
        | (terms.delayMicros() > 0 ? FLAG_DELAY : 0)
        | (Terms.isErased(terms) ? FLAG_ERASED : 0)
        | (terms.origin() == null ? 0 : FLAG_DUE);
  }

  private void putTerms(Terms terms) {
    if (terms.id() != null) {
      putText(terms.id(), "id");
    }
    if (terms.expiryMicros() != 0) {
      ensure(Long.BYTES);
      buffer.putLong(terms.expiryMicros());
    }
    if (terms.delayMicros() > 0) {
      ensure(Long.BYTES);
      buffer.putLong(terms.delayMicros());
    }
    Terms.Origin origin = terms.origin();
    if (origin != null) {
      ensure(2 * Long.BYTES);
      buffer.putLong(origin.sequence()).putLong(origin.micros());
    }
  }

  private void putHeaders(Map<String, byte[]> headers) {
    if (headers.size() > MAX_SHORT) {
      throw new RiverException(headers.size() + " headers are more than the 65535 allowed");
    }
    ensure(2);
    buffer.putShort((short) headers.size());
    headers.forEach(
        (name, value) -> {
          putText(name, "header name");
          ensure(4 + value.length);
          buffer.putInt(value.length).put(value);
        });
  }

  private void putText(String text, String what) {
    byte[] bytes = Converters.utf8(what, text);
    if (bytes.length > MAX_SHORT) {
      throw new RiverException(
          "the " + what + " takes " + bytes.length + " bytes in UTF-8; 65535 are allowed");
    }
    ensure(2 + bytes.length);
    buffer.putShort((short) bytes.length).put(bytes);
  }

  /** Frees the memory of a large document, so that the thread does not keep it. */
  public void finish() {
    if (buffer.capacity() > KEPT_BYTES) {
      buffer = allocate(FIRST_BYTES);
    }
  }

  /** Returns the bytes so far, with the header. */
  public int length() {
    return buffer.position();
  }

  /** Returns the count of messages so far. */
  public int count() {
    return count;
  }

  long digest() {
    return digest;
  }

  /** Returns memory that begins with the document; an add may replace it. */
  public ByteBuffer memory() {
    return buffer;
  }

  private void ensure(int more) {
    if (buffer.remaining() >= more) {
      return;
    }
    long wanted = Math.max((long) buffer.position() + more, buffer.capacity() * 2L);
    if ((long) buffer.position() + more > Integer.MAX_VALUE - 8) {
      throw new MessageTooLargeException(
          "a message or batch of more than 2 GiB cannot be published; split it");
    }
    ByteBuffer larger = allocate((int) Math.min(wanted, Integer.MAX_VALUE - 8));
    larger.put(buffer.flip());
    buffer = larger;
  }

  private static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
