package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Serves static resources: the contract, and the console, a page that calls the routes for queues
 * and subscribers with a key that the user enters. They contain no data of the server.
 */
final class StaticRoutes {
  private StaticRoutes() {}

  static List<Endpoint> endpoints() {
    return List.of(
        endpoint("/openapi.yaml", "/openapi.yaml", "application/yaml"),
        endpoint("/", "/console/index.html", "text/html; charset=utf-8"),
        endpoint("/console.js", "/console/console.js", "text/javascript; charset=utf-8"),
        endpoint("/console.css", "/console/console.css", "text/css; charset=utf-8"));
  }

  private static Endpoint endpoint(String path, String resource, String type) {
    ApiResponse answer = new ApiResponse(200, type, read(resource));
    return new Endpoint(
        HttpMethod.GET, path, Right.NONE, Set.of(), call -> Future.succeededFuture(answer));
  }

  private static Buffer read(String resource) {
    try (InputStream in =
        Objects.requireNonNull(StaticRoutes.class.getResourceAsStream(resource), resource)) {
      return Buffer.buffer(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
