package com.wookler.river.rest.server;

import com.wookler.river.core.message.Message;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about a message besides data and headers; null where it says nothing.
 *
 * @param delay a duration
 * @param expires a duration
 */
record MessageParts(
    @Nullable String key, @Nullable String id, @Nullable String delay, @Nullable String expires) {
  private static final int MOST_KEY = 4_096;
  private static final int MOST_ID = 1_024;

  static Message<byte[]> message(byte[] data, Map<String, byte[]> headers, MessageParts parts) {
    Message<byte[]> message = Message.of(data);
    for (Map.Entry<String, byte[]> header : headers.entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    if (parts.key != null) {
      message = message.withKey(checked("key", parts.key, MOST_KEY));
    }
    if (parts.id != null) {
      message = message.withId(checked("id", parts.id, MOST_ID));
    }
    if (parts.expires != null) {
      message = message.expiresAfter(Text.duration("expires", parts.expires));
    }
    return parts.delay == null
        ? message
        : message.deliverAfter(Text.duration("delay", parts.delay));
  }

  private static String checked(String field, String text, int most) {
    if (text.isEmpty() || text.length() > most) {
      throw Problem.field(field, "has " + text.length() + " characters; 1 to " + most + " may be");
    }
    return text;
  }
}
