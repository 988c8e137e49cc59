package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.CHECK_AT;
import static com.wookler.river.core.message.DocumentFormat.COUNT_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_PREFIX_BYTES;
import static com.wookler.river.core.message.DocumentFormat.FIRST_AT;
import static com.wookler.river.core.message.DocumentFormat.FLAG_HEADERS;
import static com.wookler.river.core.message.DocumentFormat.FLAG_KEY;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;
import static com.wookler.river.core.message.DocumentFormat.INT;
import static com.wookler.river.core.message.DocumentFormat.LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.LONG;
import static com.wookler.river.core.message.DocumentFormat.MAGIC;
import static com.wookler.river.core.message.DocumentFormat.SHORT;
import static com.wookler.river.core.message.DocumentFormat.TIME_AT;

import com.wookler.river.core.message.DocumentFormat.HeaderCheck;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Reads one document after the other, checking every byte before it is handed on.
 *
 * <p>{@link #open} takes the bytes and proves the header; {@link #next} proves and returns one
 * message after the other. Not thread-safe.
 */
public final class DocumentReader {
  private final HeaderCheck headerCheck;
  private final CRC32C crc = new CRC32C();

  private byte[] bytes = new byte[0];
  private int end;
  private int entryAt;
  private int slot;
  private int count;
  private long firstSequence;
  private long micros;

  /** For documents of this queue. */
  public DocumentReader(UUID queue) {
    this.headerCheck = new HeaderCheck(queue);
  }

  /**
   * Takes a document that occupies the first {@code length} bytes of {@code document}, which must
   * not change until the last message of it was read.
   *
   * @throws DamagedMessageException its header is not what was written into this block of this
   *     queue
   */
  public void open(byte[] document, int length, int block) {
    count = 0;
    slot = 0;
    if (length < HEADER_BYTES) {
      throw damaged("a document of " + length + " bytes has no header");
    }
    if ((int) INT.get(document, 0) != MAGIC) {
      throw damaged("a document starts with 0x" + Integer.toHexString((int) INT.get(document, 0)));
    }
    long first = (long) LONG.get(document, FIRST_AT);
    long time = (long) LONG.get(document, TIME_AT);
    int messages = (int) INT.get(document, COUNT_AT);
    int entries = (int) INT.get(document, LENGTH_AT);
    int check = headerCheck.of(block, first, time, HeaderCheck.size(messages, entries));
    if (check != (int) INT.get(document, CHECK_AT)) {
      throw damaged("the check of a document's header is wrong");
    }
    if (entries != length - HEADER_BYTES) {
      throw damaged("a document has " + (length - HEADER_BYTES) + " bytes of " + entries);
    }
    bytes = document;
    end = length;
    entryAt = HEADER_BYTES;
    firstSequence = first;
    micros = time;
    count = messages;
  }

  /** Whether a message is left in the document. */
  public boolean hasNext() {
    return slot < count;
  }

  /** The first sequence of the open document. */
  public long firstSequence() {
    return firstSequence;
  }

  /** Messages of the open document. */
  public int count() {
    return count;
  }

  /** Publish time of the open document, microseconds since 1970. */
  public long micros() {
    return micros;
  }

  /** Sequence of what {@link #next} returns next. */
  public long nextSequence() {
    return firstSequence + slot;
  }

  /** Passes over one message without reading it. */
  public void skip() {
    int length = entryLength();
    entryAt += ENTRY_PREFIX_BYTES + length;
    slot++;
  }

  /**
   * The next message.
   *
   * @throws DamagedMessageException its bytes are not what was published; the next call returns the
   *     message after it
   */
  public StoredMessage next() {
    return next(StoredMessage::new);
  }

  /**
   * The next message, as the maker makes it.
   *
   * @throws DamagedMessageException as {@link #next()}
   */
  public <T> T next(StoredMessage.Maker<T> maker) {
    int length = entryLength();
    int start = entryAt;
    long sequence = nextSequence();
    entryAt += ENTRY_PREFIX_BYTES + length;
    slot++;
    if (check(start, length) != (int) INT.get(bytes, start)) {
      throw damaged("the checksum of sequence " + sequence + " is wrong");
    }
    int content = start + ENTRY_PREFIX_BYTES;
    return bytes[content] == 0
        ? maker.make(sequence, micros, copy(content + 1, content + length), null, Map.of())
        : decode(maker, sequence, content, content + length);
  }

  /**
   * Proves all that is left of the document.
   *
   * @return the document's part of its block's digest, as {@link Stamp#stamp} returned it
   * @throws DamagedMessageException a message is not what was published
   */
  public long verify() {
    long digest = 0;
    while (hasNext()) {
      int length = entryLength();
      int check = (int) INT.get(bytes, entryAt);
      if (check(entryAt, length) != check) {
        throw damaged("the checksum of sequence " + nextSequence() + " is wrong");
      }
      digest = DocumentFormat.digest(digest, check);
      entryAt += ENTRY_PREFIX_BYTES + length;
      slot++;
    }
    if (entryAt != end) {
      throw damaged("a document holds " + (end - entryAt) + " bytes behind its last message");
    }
    return DocumentFormat.digest(digest, (int) INT.get(bytes, CHECK_AT));
  }

  private int entryLength() {
    if (end - entryAt < ENTRY_PREFIX_BYTES + 1) {
      throw lost("sequence " + nextSequence() + " starts behind the end of its document");
    }
    int length = (int) INT.get(bytes, entryAt + ENTRY_LENGTH_AT);
    if (length < 1 || length > end - entryAt - ENTRY_PREFIX_BYTES) {
      throw lost("the length of sequence " + nextSequence() + " is " + length);
    }
    return length;
  }

  private int check(int start, int length) {
    crc.reset();
    crc.update(bytes, start + ENTRY_PREFIX_BYTES, length);
    return DocumentFormat.entryCheck((int) crc.getValue(), length);
  }

  private <T> T decode(StoredMessage.Maker<T> maker, long sequence, int from, int to) {
    int flags = bytes[from];
    int at = from + 1;
    String key = null;
    if ((flags & FLAG_KEY) != 0) {
      int length = Short.toUnsignedInt((short) SHORT.get(bytes, at));
      key = new String(bytes, at + 2, length, StandardCharsets.UTF_8);
      at += 2 + length;
    }
    Map<String, byte[]> headers = Map.of();
    if ((flags & FLAG_HEADERS) != 0) {
      headers = new LinkedHashMap<>();
      int number = Short.toUnsignedInt((short) SHORT.get(bytes, at));
      at += 2;
      for (int i = 0; i < number; i++) {
        int length = Short.toUnsignedInt((short) SHORT.get(bytes, at));
        String name = new String(bytes, at + 2, length, StandardCharsets.UTF_8);
        at += 2 + length;
        int value = (int) INT.get(bytes, at);
        headers.put(name, copy(at + 4, at + 4 + value));
        at += 4 + value;
      }
      headers = Collections.unmodifiableMap(headers);
    }
    return maker.make(sequence, micros, copy(at, to), key, headers);
  }

  private byte[] copy(int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  private DamagedMessageException lost(String what) {
    slot = count; // without its length nothing behind it can be found in this document
    return damaged(what);
  }

  private static DamagedMessageException damaged(String what) {
    return new DamagedMessageException("damaged: " + what);
  }
}
