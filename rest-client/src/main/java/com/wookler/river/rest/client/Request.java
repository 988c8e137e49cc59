package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server, with the rules for retrying it. Built by one thread, not changed once it
 * is sent.
 *
 * <p>A request is retried after an ambiguous failure, unless {@link #once} was called.
 */
final class Request {
  private final String method;
  private final String path;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private byte @Nullable [] body;
  private @Nullable Server server;
  private boolean repeatable = true;
  private int maxUnanswered = Integer.MAX_VALUE;
  private int alsoAccept;
  private Duration serverWait = Duration.ZERO;
  private @Nullable Duration retryFor;

  private Request(String method, String path) {
    this.method = method;
    this.path = path;
  }

  static Request get(String path) {
    return new Request("GET", path);
  }

  static Request put(String path) {
    return new Request("PUT", path);
  }

  static Request patch(String path) {
    return new Request("PATCH", path);
  }

  static Request post(String path) {
    return new Request("POST", path);
  }

  static Request delete(String path) {
    return new Request("DELETE", path);
  }

  Request header(String name, @Nullable String value) {
    if (value != null) {
      headers.put(name, value);
    }
    return this;
  }

  Request body(String type, byte[] bytes) {
    body = bytes;
    return header("Content-Type", type);
  }

  Request json(Object value) {
    return body("application/json", JsonCodec.write(value));
  }

  Request json(ObjectNode value) {
    return body("application/json", JsonCodec.write(value));
  }

  /** Sends the request to this server only; null: to any. */
  Request to(@Nullable Server only) {
    server = only;
    return this;
  }

  /** Marks the request as not idempotent: it is not retried once it may have been carried out. */
  Request once() {
    repeatable = false;
    return this;
  }

  /** Fails the request after this number of consecutive attempts without an answer. */
  Request maxUnanswered(int attempts) {
    maxUnanswered = attempts;
    return this;
  }

  /** Accepts this status besides 2xx. */
  Request alsoAccept(int status) {
    alsoAccept = status;
    return this;
  }

  /** Adds to the time limit of an attempt the time that the server was asked to wait. */
  Request serverWait(Duration time) {
    serverWait = time;
    return this;
  }

  /** Retries the request for this time, instead of {@link RiverClient.Builder#retryFor}. */
  Request retryFor(Duration time) {
    retryFor = time;
    return this;
  }

  String method() {
    return method;
  }

  String path() {
    return path;
  }

  Map<String, String> headers() {
    return headers;
  }

  byte @Nullable [] body() {
    return body;
  }

  @Nullable Server server() {
    return server;
  }

  boolean repeatable() {
    return repeatable;
  }

  int maxUnanswered() {
    return maxUnanswered;
  }

  boolean isExpected(int status) {
    return status / 100 == 2 || status == alsoAccept;
  }

  Duration serverWait() {
    return serverWait;
  }

  @Nullable Duration retryFor() {
    return retryFor;
  }

  @Override
  public String toString() {
    return method + " " + path;
  }
}
