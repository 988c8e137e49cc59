package com.wookler.river.rest.server.http;

import com.wookler.river.core.Expected;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.RequestException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The condition of a publish, as headers of its request say it. */
final class PublishCondition {
  private static final String MATCH = "If-Match";
  private static final String NONE_MATCH = "If-None-Match";
  private static final String NEXT = "\"next-";
  private static final String LAST = "\"last-";

  private PublishCondition() {}

  static boolean isIn(ApiRequest call) {
    return call.header(MATCH) != null || call.header(NONE_MATCH) != null;
  }

  /** Returns what the queue has to hold; null without a condition. */
  static @Nullable Expected of(ApiRequest call, List<? extends Message<?>> messages) {
    String none = call.text(NONE_MATCH);
    String match = call.text(MATCH);
    if (none != null && match != null) {
      throw RequestException.field(NONE_MATCH, "there is " + MATCH + " too");
    }
    if (none != null) {
      if (!none.equals("*")) {
        throw RequestException.field(NONE_MATCH, "is not *");
      }
      return Expected.none(key(NONE_MATCH, messages));
    }
    if (match == null) {
      return null;
    }
    return match.startsWith(LAST)
        ? Expected.lastOf(key(MATCH, messages), sequence(match, LAST))
        : Expected.next(sequence(match, NEXT));
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
