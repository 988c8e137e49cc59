package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request, and how it may be repeated. Built by one thread, not changed once it is sent.
 *
 * <p>It may be repeated after an ambiguous failure, unless {@link #once} says otherwise.
 */
final class Ask {
  private final String method;
  private final String path;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private byte @Nullable [] body;
  private @Nullable Server server;
  private boolean repeatable = true;
  private int mostLost = Integer.MAX_VALUE;
  private int alsoFine;
  private Duration patience = Duration.ZERO;
  private @Nullable Duration within;

  private Ask(String method, String path) {
    this.method = method;
    this.path = path;
  }

  static Ask get(String path) {
    return new Ask("GET", path);
  }

  static Ask put(String path) {
    return new Ask("PUT", path);
  }

  static Ask patch(String path) {
    return new Ask("PATCH", path);
  }

  static Ask post(String path) {
    return new Ask("POST", path);
  }

  static Ask delete(String path) {
    return new Ask("DELETE", path);
  }

  Ask header(String name, @Nullable String value) {
    if (value != null) {
      headers.put(name, value);
    }
    return this;
  }

  Ask body(String type, byte[] bytes) {
    body = bytes;
    return header("Content-Type", type);
  }

  Ask json(Object value) {
    return body("application/json", Wire.write(value));
  }

  Ask json(ObjectNode value) {
    return body("application/json", Wire.write(value));
  }

  /** To this one, and no other. */
  Ask to(@Nullable Server only) {
    server = only;
    return this;
  }

  /** Doing it twice is not the same as doing it once. */
  Ask once() {
    repeatable = false;
    return this;
  }

  /** Fails after this number of attempts in a row that had no answer. */
  Ask mostLost(int attempts) {
    mostLost = attempts;
    return this;
  }

  /** This status is an answer, too. */
  Ask alsoFine(int status) {
    alsoFine = status;
    return this;
  }

  /** The server is asked to wait so long with its answer. */
  Ask waiting(Duration time) {
    patience = time;
    return this;
  }

  /** Repeat it for so long, instead of what the client is set to. */
  Ask within(Duration time) {
    within = time;
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

  int mostLost() {
    return mostLost;
  }

  boolean isFine(int status) {
    return status / 100 == 2 || status == alsoFine;
  }

  Duration patience() {
    return patience;
  }

  @Nullable Duration within() {
    return within;
  }

  @Override
  public String toString() {
    return method + " " + path;
  }
}
