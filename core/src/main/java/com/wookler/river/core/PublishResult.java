package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The result of a publish: one message, or a batch.
 *
 * @param sequence of the first message that was stored; those stored after it follow without a gap,
 *     in the order of the batch. If all are duplicates, that of the message that the first one
 *     repeats
 * @param duplicates the messages that were not stored because their id was published before, within
 *     the queue's window ({@code queue.deduplicate}) or earlier in the batch: from each one's index
 *     in the batch, ascending, to the sequence of the message that it repeats; unmodifiable
 * @param durability the level of the queue, or of the call if that is more
 */
public record PublishResult(long sequence, Map<Integer, Long> duplicates, Durability durability) {
  /** Copies the duplicates. */
  public PublishResult {
    Objects.requireNonNull(durability, "durability");
    duplicates =
        duplicates.isEmpty()
            ? Map.of()
            : Collections.unmodifiableSortedMap(new TreeMap<>(duplicates));
  }

  /** Returns the result of a publish without duplicates. */
  public static PublishResult stored(long sequence, Durability durability) {
    return new PublishResult(sequence, Map.of(), durability);
  }

  /** Returns the result of one message that is a duplicate of the message with this sequence. */
  public static PublishResult duplicateOf(long sequence, Durability durability) {
    return new PublishResult(sequence, Map.of(0, sequence), durability);
  }

  /** Returns whether the message, of a batch its first, was a duplicate and was not stored. */
  public boolean duplicate() {
    return duplicates.containsKey(0);
  }
}
