package com.wookler.river.rest.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** What a server answered. */
final class Answer {
  private final Server server;
  private final int status;
  private final byte[] body;

  Answer(Server server, int status, byte[] body) {
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

  /** The body as text. */
  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /**
   * The body as an object of the contract.
   *
   * @throws IncompatibleServerException it is none
   */
  <T> T as(Class<T> type) {
    try {
      return Wire.read(body, type);
    } catch (IllegalArgumentException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** A number that stands alone in an object. */
  long number(String field) {
    Object value = as(Map.class).get(field);
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw unreadable("there is no number '" + field + "'");
  }

  IncompatibleServerException unreadable(String what) {
    return new IncompatibleServerException(
        new Refusal(
            new Problem("about:blank", "The answer cannot be read", status, what, null, null),
            server.toString(),
            Duration.ZERO,
            true));
  }
}
