package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import java.util.Map;

/**
 * The sequences of a batch: {@code first} that was stored, or the one that the first message
 * repeats; {@code end}, above all of them and those that {@link PublishResult#duplicates} repeat.
 */
record Placed(long first, long end, Map<Integer, Long> duplicates) {
  PublishResult result(Durability durability) {
    return new PublishResult(first, duplicates, durability);
  }
}
