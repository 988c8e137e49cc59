package com.wookler.river.rest.server.memcache;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key of a read: the name of a queue, and what to do.
 *
 * @param asked as the client sent it
 * @param name of the queue, with that of a child after a plus
 * @param patience how long to wait for a message
 * @param open whether what is read is completed later only
 * @param close whether the oldest open read is completed first
 * @param abort whether the oldest open read is given back
 * @param peek whether the message stays where it is
 */
record ReadKey(
    String asked,
    String name,
    Duration patience,
    boolean open,
    boolean close,
    boolean abort,
    boolean peek) {
  private static final String WAIT = "t=";

  /** Returns the key; null if it does not follow the grammar. */
  static @Nullable ReadKey of(String asked) {
    List<String> parts = List.of(asked.split("/", -1));
    List<String> options = parts.subList(1, parts.size());
    long wait = 0;
    for (String option : options) {
      if (option.startsWith(WAIT)) {
        String text = option.substring(WAIT.length());
        long millis = RequestParser.number(text.startsWith("-") ? text.substring(1) : text);
        if (millis < 0) {
          return null;
        }
        wait = text.startsWith("-") ? 0 : Math.min(millis, QueueName.LONGEST.toMillis());
      }
    }
    ReadKey key =
        new ReadKey(
            asked,
            parts.get(0),
            Duration.ofMillis(wait),
            options.contains("open"),
            options.contains("close"),
            options.contains("abort"),
            options.contains("peek"));
    return key.isLegal() ? key : null;
  }

  private boolean isLegal() {
    boolean alone = !open && !close;
    return QueueName.isLegal(name) && (!peek || (alone && !abort)) && (!abort || alone);
  }
}
