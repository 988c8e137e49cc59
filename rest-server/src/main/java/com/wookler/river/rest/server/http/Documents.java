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
 * What is served as it is: the contract, and the console, a page that shows what the routes for
 * queues and subscribers say to the key that is typed into it. Names nothing that the server has.
 */
final class Documents {
  private Documents() {}

  static List<Endpoint> endpoints() {
    return List.of(
        endpoint("/openapi.yaml", "/openapi.yaml", "application/yaml"),
        endpoint("/", "/console/index.html", "text/html; charset=utf-8"),
        endpoint("/console.js", "/console/console.js", "text/javascript; charset=utf-8"),
        endpoint("/console.css", "/console/console.css", "text/css; charset=utf-8"));
  }

  private static Endpoint endpoint(String path, String resource, String type) {
    Answer answer = new Answer(200, type, read(resource));
    return new Endpoint(
        HttpMethod.GET, path, Right.NONE, Set.of(), call -> Future.succeededFuture(answer));
  }

  private static Buffer read(String resource) {
    try (InputStream in =
        Objects.requireNonNull(Documents.class.getResourceAsStream(resource), resource)) {
      return Buffer.buffer(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
