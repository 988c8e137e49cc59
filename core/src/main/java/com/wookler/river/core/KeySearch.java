package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.keys.KeyIndex;
import com.wookler.river.common.keys.KeySource;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the last message with a key from what an index of hashes says. Keeps the last answers for
 * which the log had to be searched. Thread-safe.
 */
final class KeySearch {
  private static final long WINDOW = 4_096;
  private static final int KEPT = 1_024;

  private final KeySource source;
  private final Lookup lookup;

  @GuardedBy("answers")
  private final Map<String, Answer> answers =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
          return size() > KEPT;
        }
      };

  /** The last message of a key before the last one that has its hash, or NONE. */
  private record Answer(long found, long last) {}

  KeySearch(KeySource source, Lookup lookup) {
    this.source = source;
    this.lookup = lookup;
  }

  /**
   * Returns the last message with this key. {@code found} is the sequence of the last message with
   * its hash: where that has another key, or was lost or compacted since, the log itself is
   * searched, once until there is another with its hash.
   */
  Optional<StoredMessage> latest(String key, long found) {
    if (found == KeyIndex.NONE || found < source.first()) {
      return Optional.empty(); // older ones are older still
    }
    long at = found;
    Optional<StoredMessage> message = read(at, key);
    while (message.isEmpty() && at != KeyIndex.NONE) { // again if the one found was erased since
      at = before(at, key);
      message = at == KeyIndex.NONE ? message : read(at, key);
    }
    return message;
  }

  /**
   * Returns the first messages with this key from a sequence on that are wanted, in order, up to
   * the one at {@code last}; reads over all messages in between.
   */
  List<StoredMessage> read(
      String key, long from, long last, int max, Predicate<StoredMessage> wanted) {
    List<StoredMessage> found = new ArrayList<>();
    long at = Math.max(from, source.first());
    while (at <= last && found.size() < max) {
      List<Long> places = new ArrayList<>();
      at = source.read(at, last + 1, (where, of) -> addIf(of.equals(key), places, where));
      for (int i = 0; i < places.size() && found.size() < max; i++) {
        read(places.get(i), key).filter(wanted).ifPresent(found::add);
      }
    }
    return found;
  }

  private static void addIf(boolean adds, List<Long> places, long place) {
    if (adds) {
      places.add(place);
    }
  }

  private Optional<StoredMessage> read(long sequence, String key) {
    List<StoredMessage> read = lookup.read(sequence, 1);
    return read.stream().filter(message -> key.equals(message.key())).findFirst();
  }

  private long before(long found, String key) {
    synchronized (answers) {
      Answer known = answers.get(key);
      if (known != null && known.found == found) {
        return known.last;
      }
    }
    long last = search(found, key);
    synchronized (answers) {
      answers.put(key, new Answer(found, last));
    }
    return last;
  }

  private long search(long sequence, String key) {
    long first = source.first();
    for (long end = sequence; end > first; end -= WINDOW) {
      long[] found = {KeyIndex.NONE};
      long at = Math.max(first, end - WINDOW);
      while (at < end) {
        at = source.read(at, end, (where, of) -> found[0] = of.equals(key) ? where : found[0]);
      }
      if (found[0] != KeyIndex.NONE) {
        return found[0];
      }
    }
    return KeyIndex.NONE;
  }
}
