package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SettingsJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Serves static resources: the contract, and the console, a page that calls the routes for queues
 * and subscribers with a key that the user enters. They contain no data of the server.
 */
final class StaticRoutes {
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final String UPLOT = "1.6.30"; // in the parent pom, too
  private static final String UPLOT_FILES = "/META-INF/resources/webjars/uplot/" + UPLOT + "/dist/";
  private static final List<String> SCRIPTS =
      List.of(
          "app.js",
          "api.js",
          "dom.js",
          "format.js",
          "overview.js",
          "queue.js",
          "subscriber.js",
          "messages.js",
          "settings.js",
          "blocks.js",
          "keys.js",
          "plot.js");

  private StaticRoutes() {}

  static List<Endpoint> endpoints() {
    return List.of(
        endpoint("/openapi.yaml", "/openapi.yaml", "application/yaml"),
        endpoint("/", "/console/index.html", "text/html; charset=utf-8"),
        new Endpoint(HttpMethod.GET, "/v1/options", Right.NONE, Set.of(), options()),
        new Endpoint(HttpMethod.GET, "/console/{file}", Right.NONE, Set.of(), files()));
  }

  private static Endpoint.Handler options() {
    ApiResponse answer =
        ApiResponse.ok(
            ApiResponse.buffer(
                new OptionsJson(SettingsJson.QUEUE.options(), SettingsJson.SUBSCRIBER.options())));
    return call -> Future.succeededFuture(answer);
  }

  /** The settings that there are. */
  record OptionsJson(
      List<SettingsJson.OptionJson> queue, List<SettingsJson.OptionJson> subscriber) {}

  private static Endpoint.Handler files() {
    Map<String, ApiResponse> all = new HashMap<>();
    for (String script : SCRIPTS) {
      all.put(script, answer("/console/" + script, SCRIPT));
    }
    all.put("console.css", answer("/console/console.css", STYLE));
    all.put("river.svg", answer("/console/river.svg", "image/svg+xml"));
    all.put("uplot-" + UPLOT + ".js", answer(UPLOT_FILES + "uPlot.iife.min.js", SCRIPT));
    all.put("uplot-" + UPLOT + ".css", answer(UPLOT_FILES + "uPlot.min.css", STYLE));
    return call -> {
      ApiResponse answer = all.get(call.name("file"));
      return answer == null
          ? Future.failedFuture(
              RequestException.of(
                  RequestException.Reason.NOT_FOUND, "the console has no such file"))
          : Future.succeededFuture(answer);
    };
  }

  private static ApiResponse answer(String resource, String type) {
    return new ApiResponse(200, type, read(resource));
  }

  private static Endpoint endpoint(String path, String resource, String type) {
    ApiResponse answer = answer(resource, type);
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
