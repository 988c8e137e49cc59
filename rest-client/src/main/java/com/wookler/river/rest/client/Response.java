package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** A complete response of a server: status and body. */
final class Response {
  private final Server server;
  private final int status;
  private final byte[] body;

  Response(Server server, int status, byte[] body) {
    this.server = server;
    this.status = status;
    this.body = body;
  }

  Server server() {
    return server;
  }

  int status() {
    return status;
  }

  byte[] body() {
    return body;
  }

  /** Returns the body as text in UTF-8. */
  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * Reads the body as an object of the contract.
   *
   * @throws IncompatibleServerException the body is no such object
   */
  <T> T as(Class<T> type) {
    try {
      return JsonCodec.read(body, type);
    } catch (IllegalArgumentException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** Returns a number, by the name of its field in the body. */
  long number(String field) {
    Object value = as(Map.class).get(field);
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw unreadable("there is no number '" + field + "'");
  }

  IncompatibleServerException unreadable(String what) {
    return new IncompatibleServerException(
        new ErrorResponse(
            new Problem("about:blank", "The answer cannot be read", status, what, null, null, null),
            server.toString(),
            Duration.ZERO,
            true));
  }
}
