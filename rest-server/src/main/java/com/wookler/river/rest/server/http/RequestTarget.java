package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The path and query of a request. Each part of the path is decoded once and separately, so that an
 * encoded slash does not split it; the path is not normalized.
 *
 * @param path path as it was sent
 * @param parts parts of the path between slashes
 * @param query parameters, each with all its values
 */
record RequestTarget(String path, List<String> parts, Map<String, List<String>> query) {
  /**
   * Parses a path and a query.
   *
   * @throws Problem they are not valid UTF-8, or their encoding is not valid
   */
  static RequestTarget of(@Nullable String path, @Nullable String query) {
    if (path == null || !path.startsWith("/")) {
      throw RequestException.field("path", "does not begin with a slash");
    }
    List<String> parts = new ArrayList<>();
    for (String part : path.substring(1).split("/", -1)) {
      parts.add(decoded("path", part, false));
    }
    return new RequestTarget(path, parts, query == null ? Map.of() : parameters(query));
  }

  private static Map<String, List<String>> parameters(String query) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        String name = decoded("query", equals < 0 ? pair : pair.substring(0, equals), true);
        String value = equals < 0 ? "" : decoded(name, pair.substring(equals + 1), true);
        all.computeIfAbsent(name, first -> new ArrayList<>()).add(value);
      }
    }
    return all;
  }

  private static String decoded(String field, String raw, boolean plusIsSpace) {
    if (raw.indexOf('%') < 0 && !plusIsSpace && isAscii(raw)) {
      return raw;
    }
    byte[] bytes = new byte[raw.length()];
    int length = 0;
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes[length++] = (byte) hex(field, raw, i);
        i += 2;
      } else {
        bytes[length++] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
      }
    }
    return utf8(field, ByteBuffer.wrap(bytes, 0, length));
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  private static int hex(String field, String raw, int percent) {
    int high = percent + 2 < raw.length() ? Character.digit(raw.charAt(percent + 1), 16) : -1;
    int low = high < 0 ? -1 : Character.digit(raw.charAt(percent + 2), 16);
    if (low < 0) {
      throw RequestException.field(field, "has a % without two hexadecimal digits after it");
    }
    return high << 4 | low;
  }

  /** Decodes UTF-8. */
  static String utf8(String field, ByteBuffer bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw RequestException.field(field, "is not valid UTF-8");
    }
  }
}
