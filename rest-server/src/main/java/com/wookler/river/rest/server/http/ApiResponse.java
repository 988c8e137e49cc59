package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Json;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response.
 *
 * @param status HTTP status
 * @param type media type of the body; null if there is no body
 * @param body body; null if there is none
 * @param headers further headers
 */
record ApiResponse(
    int status, @Nullable String type, @Nullable Buffer body, Map<String, String> headers) {
  static final String JSON = "application/json";

  ApiResponse(int status, @Nullable String type, @Nullable Buffer body) {
    this(status, type, body, Map.of());
  }

  /** Returns the same response with one more header. */
  ApiResponse with(String name, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(name, value);
    return new ApiResponse(status, type, body, more);
  }

  /** Returns a response without a body, with status 204. */
  static ApiResponse done() {
    return new ApiResponse(204, null, null);
  }

  static ApiResponse json(int status, Buffer body) {
    return new ApiResponse(status, JSON, body);
  }

  /** Returns an object of the contract as JSON. */
  static Buffer buffer(Object json) {
    return Buffer.buffer(Json.write(json));
  }

  static ApiResponse ok(Buffer body) {
    return json(200, body);
  }
}
