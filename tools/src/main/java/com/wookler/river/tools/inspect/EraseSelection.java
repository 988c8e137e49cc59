package com.wookler.river.tools.inspect;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.DeadLetters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of a queue to erase: by sequence, by id, by key, and whatever was made of them: a
 * re-enqueued copy, a dead letter, what was redriven. Not thread-safe.
 */
public final class EraseSelection {
  private final @Nullable String id;
  private final @Nullable String key;
  private final TreeMap<Long, Long> ranges = new TreeMap<>(); // the first and last of each

  private EraseSelection(@Nullable String id, @Nullable String key) {
    this.id = id;
    this.key = key;
  }

  /** Creates a selection without sequences yet. */
  public static EraseSelection of(@Nullable String id, @Nullable String key) {
    return new EraseSelection(id, key);
  }

  /** Adds a range of sequences. */
  public void add(long first, long last) {
    long from = first;
    long to = last;
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    if (before != null && before.getValue() >= from - 1) {
      from = before.getKey();
      to = Math.max(to, before.getValue());
    }
    for (Map.Entry<Long, Long> next = ranges.ceilingEntry(from);
        next != null && next.getKey() - 1 <= to;
        next = ranges.ceilingEntry(from)) {
      to = Math.max(to, next.getValue());
      ranges.remove(next.getKey());
    }
    ranges.put(from, to);
  }

  boolean holds(long sequence) {
    Map.Entry<Long, Long> range = ranges.floorEntry(sequence);
    return range != null && range.getValue() >= sequence;
  }

  boolean isId(long sequence, String found) {
    return found.equals(id) || holds(sequence);
  }

  /** Returns whether a message of the queue is selected; then all that was made of it is, too. */
  boolean finds(StoredMessage message) {
    boolean found =
        has(message, id, key)
            || holds(message.originalSequence())
            || holds(message.headers().get(DeadLetters.REDRIVEN_FROM));
    if (found) {
      add(message.originalSequence(), message.originalSequence());
    }
    return found;
  }

  /** Returns whether a dead letter is of a message that is selected. */
  boolean findsLetter(StoredMessage letter) {
    return has(letter, id, key) || holds(letter.headers().get(DeadLetters.SEQUENCE));
  }

  private static boolean has(StoredMessage message, @Nullable String id, @Nullable String key) {
    Terms terms = message.terms();
    return (key != null && key.equals(message.key()))
        || (id != null && terms != null && id.equals(terms.id()));
  }

  private boolean holds(byte @Nullable [] sequence) {
    try {
      return sequence != null
          && holds(Long.parseLong(new String(sequence, StandardCharsets.UTF_8)));
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Writes the sequences. */
  ByteBuffer encode(ByteBuffer to) {
    ranges.forEach((first, last) -> to.putLong(first).putLong(last));
    return to;
  }

  int bytes() {
    return ranges.size() * 2 * Long.BYTES;
  }

  void decode(ByteBuffer from) {
    while (from.hasRemaining()) {
      add(from.getLong(), from.getLong());
    }
  }
}
