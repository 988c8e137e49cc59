package com.wookler.river.rest.server.http;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line a request, at level INFO of the logger {@code com.wookler.river.rest.access}: keys and
 * values. What comes from outside is quoted, and has no character that ends a line or moves a
 * terminal's cursor. The query is left out, and so are all headers: they may hold what is secret.
 */
public final class AccessLog {
  private static final Logger LOG = LoggerFactory.getLogger("com.wookler.river.rest.access");
  private static final int MOST_CHARACTERS = 512;

  private AccessLog() {}

  static boolean isOn() {
    return LOG.isInfoEnabled();
  }

  static void log(Exchange exchange, String caller, long nanos) {
    Problem problem = exchange.problem();
    LOG.info(
        "request={} remote={} key={} method={} path={} status={} problem={} bytes={} micros={}",
        exchange.id(),
        exchange.request().remoteAddress(),
        quoted(caller),
        quoted(exchange.request().method().name()),
        quoted(String.valueOf(exchange.request().path())),
        exchange.response().getStatusCode(),
        problem == null ? "-" : problem.kind().text(),
        exchange.response().bytesWritten(),
        nanos / 1_000);
  }

  /** Between quotes, with everything escaped that is not plain. */
  public static String quoted(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 2).append('"');
    int length = Math.min(text.length(), MOST_CHARACTERS);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        safe.append('\\').append(c);
      } else if (c >= ' ' && c < 0x7f) {
        safe.append(c);
      } else {
        safe.append(String.format("\\u%04x", (int) c));
      }
    }
    return safe.append(length < text.length() ? "...\"" : "\"").toString();
  }
}
