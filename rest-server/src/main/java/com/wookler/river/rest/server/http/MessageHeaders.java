package com.wookler.river.rest.server.http;

import com.wookler.river.core.subscriber.Delivery;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The headers of HTTP that a message keeps: its media type, and those of a CloudEvent ({@code
 * ce-type}). They are headers of the message, and given back with its data.
 */
final class MessageHeaders {
  private static final String CONTENT_TYPE = "content-type";
  private static final String EVENT = "ce-";
  private static final String OWN = "river-";
  private static final String BYTES = "application/octet-stream";

  /** Types that say nothing of the data: curl's default among them. */
  private static final Set<String> UNSAID = Set.of(BYTES, "application/x-www-form-urlencoded");

  private static final Pattern MEDIA_TYPE =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+(; ?[ -~]+)?");
  private static final Pattern EVENT_NAME = Pattern.compile("ce-[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern PRINTABLE = Pattern.compile("[ -~]*");

  private MessageHeaders() {}

  /** Returns whether a header is one of River's own, in any case. */
  static boolean isOwn(String name) {
    return name.regionMatches(true, 0, OWN, 0, OWN.length());
  }

  /** Returns whether a header is one of a CloudEvent, in any case. */
  static boolean isOfEvent(String name) {
    return name.length() > EVENT.length() && name.regionMatches(true, 0, EVENT, 0, EVENT.length());
  }

  /** Returns whether a header of a publish becomes one of the message. */
  static boolean isKept(String name, String value) {
    if (name.length() == CONTENT_TYPE.length() && name.equalsIgnoreCase(CONTENT_TYPE)) {
      return !UNSAID.contains(value.toLowerCase(Locale.ROOT));
    }
    return isOfEvent(name);
  }

  /**
   * Returns the data of a message with those headers. A browser must not show it as a page of the
   * server: its type is the publisher's.
   */
  static ApiResponse data(Delivery<?> message) {
    Map<String, String> headers = new HashMap<>();
    String type = BYTES;
    for (Map.Entry<String, byte[]> header : message.headers().entrySet()) {
      String value = new String(header.getValue(), StandardCharsets.UTF_8);
      if (header.getKey().equals(CONTENT_TYPE) && MEDIA_TYPE.matcher(value).matches()) {
        type = value;
      } else if (EVENT_NAME.matcher(header.getKey()).matches()
          && PRINTABLE.matcher(value).matches()) {
        headers.put(header.getKey(), value);
      }
    }
    headers.put("Content-Security-Policy", "sandbox; default-src 'none'");
    headers.put("Content-Disposition", "attachment; filename=\"" + message.sequence() + "\"");
    Buffer data = Buffer.buffer(Objects.requireNonNull(message.bytes(), "bytes"));
    return new ApiResponse(200, type, data, headers);
  }
}
