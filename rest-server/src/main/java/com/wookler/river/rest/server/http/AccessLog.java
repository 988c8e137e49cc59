package com.wookler.river.rest.server.http;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each request, at level INFO of the logger {@code
 * com.wookler.river.rest.access}, as keys and values. Values from outside are quoted, and control
 * characters are escaped. The query and all headers are omitted, because they may contain secrets.
 *
 * <p>Where the client left before the response, there is no status, and the problem is {@code
 * disconnected}; where it left before the end of it, as clients end a stream, {@code cut-off}.
 */
public final class AccessLog {
  private static final Logger LOG = LoggerFactory.getLogger("com.wookler.river.rest.access");
  private static final int MAX_CHARACTERS = 512;

  private AccessLog() {}

  static boolean isOn() {
    return LOG.isInfoEnabled();
  }

  /**
   * Logs a request.
   *
   * @param whole whether all of the response was written
   */
  static void log(HttpExchange exchange, String caller, long nanos, boolean whole) {
    boolean answered = exchange.response().headWritten();
    LOG.info(
        "request={} remote={} key={} method={} path={} status={} problem={} bytes={} micros={}",
        exchange.id(),
        exchange.request().remoteAddress(),
        quoted(caller),
        quoted(exchange.request().method().name()),
        quoted(String.valueOf(exchange.request().path())),
        answered ? exchange.response().getStatusCode() : "-",
        problem(exchange, answered, whole),
        exchange.response().bytesWritten(),
        nanos / 1_000);
  }

  private static String problem(HttpExchange exchange, boolean answered, boolean whole) {
    if (!answered) {
      return "disconnected";
    }
    Problem problem = exchange.problem();
    if (problem != null) {
      return problem.kind().text();
    }
    return whole ? "-" : "cut-off";
  }

  /** Returns the text in quotes, with everything escaped that is not printable ASCII. */
  public static String quoted(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 2).append('"');
    int length = Math.min(text.length(), MAX_CHARACTERS);
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
