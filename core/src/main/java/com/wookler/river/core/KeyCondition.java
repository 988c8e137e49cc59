package com.wookler.river.core;

import com.wookler.river.common.keys.KeySource;
import com.wookler.river.core.log.AppendCondition;
import com.wookler.river.core.message.ConflictException;

/**
 * Requires that a message is the last of its key, by a look-up that was made before, and the few
 * messages that the log has got since. Used by one thread.
 */
final class KeyCondition implements AppendCondition {
  static final long NONE = -1;

  private final String queue;
  private final String key;
  private final long expected;
  private final KeySource source;
  private long last; // of the key, of the messages before the end
  private long end;

  /** Begins with the last message of the key before the end. */
  KeyCondition(String queue, String key, long expected, KeySource source, long last, long end) {
    this.queue = queue;
    this.key = key;
    this.expected = expected;
    this.source = source;
    this.last = last;
    this.end = end;
  }

  void follow(long to) {
    while (end < to) {
      end = source.read(end, to, (at, of) -> last = of.equals(key) ? at : last);
    }
  }

  @Override
  public void check(long sequence) {
    follow(sequence);
    if (last != expected) {
      throw new ConflictException(
          "queue %s: expected %s with key '%s', but %s"
              .formatted(
                  queue,
                  expected == NONE ? "no message" : "last message " + expected,
                  key,
                  last == NONE ? "there is none" : "it is " + last),
          last);
    }
  }
}
