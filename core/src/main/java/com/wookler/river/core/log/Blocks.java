package com.wookler.river.core.log;

import com.wookler.river.core.log.files.Seal;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a log by first sequence, the active one among them. Written under the append lock,
 * and by the thread that forgets the oldest; read by any thread.
 */
final class Blocks {
  private final NavigableMap<Long, Block> byFirst = new ConcurrentSkipListMap<>();

  void add(Block block) {
    byFirst.put(block.firstSequence(), block);
  }

  void remove(long firstSequence) {
    byFirst.remove(firstSequence);
  }

  void replace(Seal seal) {
    byFirst.computeIfPresent(seal.firstSequence(), (first, block) -> block.replaced(seal));
  }

  Block oldest() {
    return byFirst.firstEntry().getValue();
  }

  @Nullable Block of(long sequence) {
    var entry = byFirst.floorEntry(sequence);
    return entry != null && entry.getValue().holds(sequence) ? entry.getValue() : null;
  }

  /** Returns the first with a message published at or after this time, null if there is none. */
  @Nullable Block publishedAt(long micros) {
    for (Block block : all()) {
      if (block.messages() > 0 && block.lastMicros() >= micros) {
        return block;
      }
    }
    return null;
  }

  /** Returns all, oldest first. */
  Collection<Block> all() {
    return byFirst.values();
  }

  /** Returns the block that holds this sequence and those after it. */
  Collection<Block> from(long sequence) {
    Long first = byFirst.floorKey(sequence);
    return first == null ? all() : byFirst.tailMap(first, true).values();
  }

  int count() {
    return byFirst.size();
  }

  /** Returns the bytes in use of all. */
  long bytes() {
    long sum = 0;
    for (Block block : byFirst.values()) {
      sum += block.end();
    }
    return sum;
  }
}
