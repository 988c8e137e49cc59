package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.Expected;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.RequestException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a publish, as headers of its request say it.
 *
 * @param key the key of which a message is expected; null if the queue's next sequence is
 * @param sequence the expected sequence; {@link #NONE} if there is to be no message with the key
 */
record PublishCondition(@Nullable String key, long sequence) {
  private static final long NONE = -1;
  private static final String MATCH = "If-Match";
  private static final String NONE_MATCH = "If-None-Match";
  private static final String NEXT = "\"next-";
  private static final String LAST = "\"last-";

  static boolean isIn(ApiRequest call) {
    return call.header(MATCH) != null || call.header(NONE_MATCH) != null;
  }

  /** Returns what the queue has to hold; null without a condition. */
  static @Nullable PublishCondition of(ApiRequest call, List<? extends Message<?>> messages) {
    String none = call.text(NONE_MATCH);
    String match = call.text(MATCH);
    if (none != null && match != null) {
      throw RequestException.field(NONE_MATCH, "there is " + MATCH + " too");
    }
    if (none != null) {
      if (!none.equals("*")) {
        throw RequestException.field(NONE_MATCH, "is not *");
      }
      return new PublishCondition(key(NONE_MATCH, messages), NONE);
    }
    if (match == null) {
      return null;
    }
    return match.startsWith(LAST)
        ? new PublishCondition(key(MATCH, messages), sequence(match, LAST))
        : new PublishCondition(null, sequence(match, NEXT));
  }

  /** Returns it as the queue compares it. */
  Expected expected() {
    if (key == null) {
      return Expected.next(sequence);
    }
    return sequence == NONE ? Expected.none(key) : Expected.lastOf(key, sequence);
  }

  /**
   * Checks a queue that does not exist, so that none is created in vain.
   *
   * @param settings that it would have
   * @throws RiverException the publish would be refused
   */
  void checkNew(String queue, Settings settings) {
    if (key == null && sequence > 0) {
      throw new ConflictException(
          "queue %s does not exist: expected next sequence %s, but it is 0"
              .formatted(queue, sequence),
          0);
    }
    if (key != null && !settings.is(QueueOptions.KEY_INDEX)) {
      throw new ConfigurationException(
          "queue %s does not exist, and would have no index of keys: create it with %s"
              .formatted(queue, QueueOptions.KEY_INDEX.json()));
    }
    if (key != null && sequence != NONE) {
      throw new ConflictException(
          "queue %s does not exist, and has no message %s with the key".formatted(queue, sequence),
          NONE);
    }
  }

  private static long sequence(String match, String prefix) {
    if (!match.startsWith(prefix) || !match.endsWith("\"")) {
      throw RequestException.field(MATCH, "is neither \"next-SEQUENCE\" nor \"last-SEQUENCE\"");
    }
    String text = match.substring(prefix.length(), match.length() - 1);
    return ContractFormat.number(MATCH, text, 0, Long.MAX_VALUE);
  }

  private static String key(String header, List<? extends Message<?>> messages) {
    String key = messages.size() == 1 ? messages.get(0).key() : null;
    if (key == null) {
      throw RequestException.field(header, "needs one message, which has a key");
    }
    return key;
  }
}
