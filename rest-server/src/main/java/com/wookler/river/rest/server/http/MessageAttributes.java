package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.RequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a published message besides data and headers; null if a request does not
 * contain them.
 *
 * @param delay a duration
 * @param deliverAt a time, instead of a delay
 * @param expires a duration
 */
record MessageAttributes(
    @Nullable String key,
    @Nullable String id,
    @Nullable String delay,
    @Nullable String deliverAt,
    @Nullable String expires) {
  private static final int MAX_HEADERS = 1_000;
  private static final int MAX_KEY = 4_096;
  private static final int MAX_ID = 1_024;

  static Message<byte[]> message(
      byte[] data, Map<String, byte[]> headers, MessageAttributes parts) {
    return parts.addTo(withHeaders(Message.of(data), headers));
  }

  private static Message<byte[]> withHeaders(Message<byte[]> bare, Map<String, byte[]> headers) {
    if (headers.size() > MAX_HEADERS) {
      throw RequestException.field(
          "headers",
          "there are " + headers.size() + " headers; at most " + MAX_HEADERS + " are allowed");
    }
    Message<byte[]> message = bare;
    for (Map.Entry<String, byte[]> header : headers.entrySet()) {
      ContractFormat.wellFormed("headers", header.getKey());
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message;
  }

  private Message<byte[]> addTo(Message<byte[]> bare) {
    Message<byte[]> message = bare;
    if (key != null) {
      message = message.withKey(checked("key", key, MAX_KEY));
    }
    if (id != null) {
      message = message.withId(checked("id", id, MAX_ID));
    }
    if (expires != null) {
      Duration time = ContractFormat.duration("expires", expires);
      if (time.isZero()) {
        throw RequestException.field("expires", "is " + expires + ", but must be more than that");
      }
      Message<byte[]> before = message;
      message = RequestException.checked("expires", () -> before.expiresAfter(time));
    }
    if (delay != null) {
      Duration time = ContractFormat.duration("delay", delay);
      if (time.compareTo(Message.LONGEST_DELAY) > 0) {
        throw RequestException.field(
            "delay",
            "is "
                + delay
                + "; at most "
                + ContractFormat.of(Message.LONGEST_DELAY)
                + " is allowed");
      }
      Message<byte[]> before = message;
      message = RequestException.checked("delay", () -> before.deliverAfter(time));
    }
    if (deliverAt != null) {
      if (delay != null) {
        throw RequestException.field("deliverAt", "there is a delay too");
      }
      Message<byte[]> timed = message.deliverAt(time(deliverAt));
      message = timed;
      Message<byte[]> unused =
          RequestException.checked(
              "deliverAt", () -> timed.delayedFrom(TimeSource.system().wallTime()));
    }
    return message;
  }

  private static Instant time(String text) {
    Instant time = ContractFormat.time("deliverAt", text);
    if (time.isAfter(TimeSource.system().wallTime().plus(Message.LONGEST_DELAY))) {
      throw RequestException.field("deliverAt", "is later than the longest delay allows");
    }
    return time;
  }

  private static String checked(String field, String text, int most) {
    if (text.isEmpty() || text.length() > most) {
      throw RequestException.field(
          field, "has " + text.length() + " characters; 1 to " + most + " are allowed");
    }
    return ContractFormat.wellFormed(field, text);
  }
}
