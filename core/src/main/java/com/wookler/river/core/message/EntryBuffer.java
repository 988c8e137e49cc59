package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.FLAG_DELAY;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ERASED;
import static com.wookler.river.core.message.DocumentFormat.FLAG_KEY;
import static com.wookler.river.core.message.DocumentFormat.KNOWN_FLAGS;
import static com.wookler.river.core.message.DocumentFormat.SHORT;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A reused array into which messages are copied one after the other, each verified in the copy. It
 * is small, so that the copies stay in the processor's nearest cache: with 16 KB a copy of 1 KiB
 * takes twice the time. A larger message has it alone. Not thread-safe.
 */
public final class EntryBuffer {
  private static final int BYTES = (4 << 10) + (1 << 8); // four messages of 1 KiB
  private static final int MAX_KEPT = 1 << 20;
  private static final int KEY_AT = 1; // after the flags

  private byte[] bytes = new byte[BYTES];
  private int end;
  private long micros;

  /** Whether a message was added. */
  public enum Added {
    ADDED,
    FULL, // it did not fit
    NONE // there is none, or it has more than data and a key
  }

  /** Removes all messages; what only a large message needed is given back. */
  public void clear() {
    end = 0;
    if (bytes.length > MAX_KEPT) {
      bytes = new byte[BYTES];
    }
  }

  /** Returns where the next message begins. */
  public int end() {
    return end;
  }

  /** Returns the publish time of the message that was added last, microseconds since 1970. */
  public long micros() {
    return micros;
  }

  /** Returns the array that the messages are in; a later one may be in another array. */
  public byte[] array() {
    return bytes;
  }

  /** Returns whether an entry has space: any has while there is no other. */
  boolean fits(int length) {
    return length <= bytes.length - end || end == 0;
  }

  /** Copies an entry to the end, where {@link #add} adds it, and returns its checksum. */
  int copy(DocumentBytes from, long offset, int length, CRC32C crc) {
    if (length > bytes.length - end) {
      bytes = new byte[length];
    }
    from.copy(offset, bytes, end, length);
    crc.reset();
    crc.update(bytes, end, length);
    return (int) crc.getValue();
  }

  /** Returns whether the copied entry has no more than data and perhaps a key. */
  boolean isPlain() {
    return isPlain(bytes[end]);
  }

  /** Returns whether the copied entry is of a message that is {@link Terms#isHidden hidden}. */
  boolean isHidden() {
    return (bytes[end] & (FLAG_DELAY | FLAG_ERASED)) != 0 && (bytes[end] & ~KNOWN_FLAGS) == 0;
  }

  static boolean isPlain(byte flags) {
    return (flags & ~FLAG_KEY) == 0;
  }

  /** Removes the messages from an index on. */
  public void cut(int start) {
    end = start;
  }

  void add(int length, long publishedMicros) {
    end += length;
    micros = publishedMicros;
  }

  /** Returns where the data begins of the message that begins at an index. */
  public int dataOf(int start) {
    return bytes[start] == 0 ? start + KEY_AT : start + KEY_AT + Short.BYTES + keyLength(start);
  }

  /** Returns the key of the message that begins at an index, or null. */
  public @Nullable String keyOf(int start) {
    return bytes[start] == 0
        ? null
        : new String(bytes, start + KEY_AT + Short.BYTES, keyLength(start), StandardCharsets.UTF_8);
  }

  private int keyLength(int start) {
    return Short.toUnsignedInt((short) SHORT.get(bytes, start + KEY_AT));
  }
}
