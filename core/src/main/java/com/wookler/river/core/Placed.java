package com.wookler.river.core;

import com.wookler.river.core.message.Durability;
import java.util.Map;

/**
 * The place of a batch in the log.
 *
 * @param first sequence of the first message that was stored; if none was, of the one that the
 *     first repeats
 * @param end all of the messages, and those that duplicates repeat, have a lower sequence
 * @param duplicates see {@link PublishResult}
 */
record Placed(long first, long end, Map<Integer, Long> duplicates) {
  PublishResult result(Durability durability) {
    return new PublishResult(first, duplicates, durability);
  }
}
