package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Json;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * What a request is answered with.
 *
 * @param status of HTTP
 * @param type of the body; null if there is none
 * @param body null if there is none
 */
record Answer(int status, @Nullable String type, @Nullable Buffer body) {
  static final String JSON = "application/json";

  /** Nothing to say: done. */
  static Answer done() {
    return new Answer(204, null, null);
  }

  static Answer json(int status, Buffer body) {
    return new Answer(status, JSON, body);
  }

  /** Returns an object of the contract as JSON. */
  static Buffer buffer(Object json) {
    return Buffer.buffer(Json.write(json));
  }

  static Answer ok(Buffer body) {
    return json(200, body);
  }
}
