package com.wookler.river.rest.server;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Takes requests to their endpoints, and answers with what these say or throw. */
final class Front {
  private static final String PROBLEM = "application/problem+json";

  private final List<Endpoint> endpoints;
  private final ServerLimits limits;

  Front(List<Endpoint> endpoints, ServerLimits limits) {
    this.endpoints = List.copyOf(endpoints);
    this.limits = limits;
  }

  /** A router; each event loop has one of its own. */
  Router router(Vertx vertx) {
    Router router = Router.router(vertx);
    router.route().handler(Front::harden);
    router.route().handler(BodyHandler.create(false).setBodyLimit(limits.bodyBytes()));
    for (Endpoint endpoint : endpoints) {
      router.route(endpoint.method(), endpoint.route()).handler(context -> call(endpoint, context));
    }
    methods().forEach((path, methods) -> router.route(path).handler(c -> refuse(c, methods)));
    router.route().handler(Front::unknown);
    router.route().failureHandler(context -> fail(context, context.failure()));
    return router;
  }

  /** What every answer says to browsers. */
  private static void harden(RoutingContext context) {
    context
        .response()
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Content-Security-Policy", "default-src 'self'")
        .putHeader("Cache-Control", "no-store");
    context.next();
  }

  private Map<String, Set<String>> methods() {
    Map<String, Set<String>> methods = new LinkedHashMap<>();
    for (Endpoint endpoint : endpoints) {
      methods
          .computeIfAbsent(endpoint.route(), path -> new TreeSet<>())
          .add(endpoint.method().name());
    }
    return methods;
  }

  private static void call(Endpoint endpoint, RoutingContext context) {
    Context loop = context.vertx().getOrCreateContext();
    Future<Answer> answer;
    try {
      known(endpoint, context);
      answer = endpoint.handler().handle(new Call(context, loop, Access.ALL));
    } catch (RuntimeException e) {
      fail(context, e);
      return;
    }
    answer.onSuccess(done -> send(context, done)).onFailure(failed -> fail(context, failed));
  }

  private static void known(Endpoint endpoint, RoutingContext context) {
    for (String parameter : context.queryParams().names()) {
      if (!endpoint.query().contains(parameter)) {
        throw Problem.field(parameter, "there is no such parameter; there are " + endpoint.query());
      }
    }
  }

  private static void refuse(RoutingContext context, Set<String> methods) {
    context.response().putHeader("Allow", String.join(", ", methods));
    fail(
        context,
        Problem.of(Problem.Kind.METHOD_NOT_ALLOWED, "there are " + String.join(", ", methods)));
  }

  private static void unknown(RoutingContext context) {
    fail(context, Problem.of(Problem.Kind.NOT_FOUND, "there is no such path"));
  }

  private static void send(RoutingContext context, Answer answer) {
    HttpServerResponse response = context.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(answer.status());
    Buffer body = answer.body();
    if (body == null) {
      response.end();
    } else {
      response.putHeader("Content-Type", String.valueOf(answer.type()));
      response.end(body);
    }
  }

  /** The document of a problem. */
  record ProblemJson(
      String type, String title, int status, @Nullable String detail, @Nullable String field) {}

  private static void fail(RoutingContext context, @Nullable Throwable thrown) {
    Problem problem =
        thrown == null
            ? Problem.of(Problem.Kind.BAD_REQUEST, "HTTP status " + context.statusCode())
            : Problems.of(thrown);
    if (problem.retryAfterSeconds() > 0) {
      context.response().putHeader("Retry-After", String.valueOf(problem.retryAfterSeconds()));
    }
    Problem.Kind kind = problem.kind();
    send(
        context,
        new Answer(
            kind.status(),
            PROBLEM,
            Json.write(
                new ProblemJson(
                    Problem.TYPE + kind.text(),
                    kind.title(),
                    kind.status(),
                    problem.detail(),
                    problem.field()))));
  }
}
