package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.Callers;
import com.wookler.river.rest.server.hosting.Hosting;
import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.Text;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests to their endpoints, and answers with what these say or throw. In this order: the
 * server's state, host and origin, path and method, key, right, query, body, load.
 */
final class HttpFrontEnd {
  private static final int STOPPING_SECONDS = 5;

  private static final Pattern BEARER =
      Pattern.compile("Bearer +(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final Routes routes;
  private final Hosts hosts;
  private final RequestCounts counts;
  private final Callers callers;
  private final Load load;
  private final TimeSource time;
  private final BooleanSupplier stopping;
  private final String run = Long.toHexString(new SecureRandom().nextLong());
  private final AtomicLong requests = new AtomicLong();

  HttpFrontEnd(Routes routes, Hosts hosts, RequestCounts counts, Hosting hosting) {
    this.routes = routes;
    this.hosts = hosts;
    this.counts = counts;
    this.callers = hosting.callers();
    this.load = hosting.load();
    this.time = hosting.time();
    this.stopping = hosting.stopping();
  }

  /** One on an event loop, which is the context's. */
  void handle(HttpServerRequest request, Context loop, Connections connections) {
    Exchange exchange =
        new Exchange(request, loop, run + "-" + requests.incrementAndGet(), load.budget());
    Caller caller = new Caller();
    exchange.whenOver(() -> counts.count(exchange));
    if (AccessLog.isOn()) {
      long start = time.nanoTime();
      exchange.whenOver(
          () -> AccessLog.log(exchange, caller.access.name(), time.nanoTime() - start));
    }
    connections.busy(exchange);
    try {
      begin(exchange, caller, connections);
    } catch (RuntimeException e) {
      exchange.fail(e);
      request.resume();
    }
  }

  /** Who asks, once that is known. */
  private static final class Caller {
    Access access = Access.ALL;
  }

  private void begin(Exchange exchange, Caller caller, Connections connections) {
    HttpServerRequest request = exchange.request();
    if (stopping.getAsBoolean()) {
      exchange.response().putHeader("Connection", "close");
      throw RequestException.later(
          RequestException.Reason.UNAVAILABLE, "the server is stopping", STOPPING_SECONDS);
    }
    RequestHead.check(exchange);
    hosts.check(request);
    Target target = Target.of(request.path(), request.query());
    Routes.Found found = routes.find(request.method(), target);
    Endpoint endpoint = found.endpoint();
    exchange.found(endpoint);
    caller.access = allowed(found, request);
    ensureKnown(endpoint.query(), target);
    Body body = Body.of(exchange, load, time.nanoTime());
    connections.arriving(exchange, body);
    Future<Answer> answer =
        body.whole()
            .compose(
                bytes -> {
                  ensureAllowed(found, caller.access); // the key may have changed since the head
                  load.begin(exchange::whenOver);
                  Call call =
                      new Call(exchange, found.parameters(), target.query(), bytes, caller.access);
                  return answer(endpoint, call);
                });
    load.arriving(body.whole().toCompletionStage()); // counted until it counts as begun
    answer.onSuccess(exchange::send).onFailure(exchange::fail);
  }

  private static Future<Answer> answer(Endpoint endpoint, Call call) {
    return call.exchange().isOver()
        ? Future.failedFuture(
            RequestException.of(RequestException.Reason.TIMEOUT, "the caller has gone"))
        : endpoint.handler().handle(call);
  }

  private Access allowed(Routes.Found found, HttpServerRequest request) {
    Right right = found.endpoint().right();
    if (right == Right.NONE) {
      return Access.ALL;
    }
    Access access = access(request.getHeader("Authorization"));
    ensureAllowed(found, access);
    return access;
  }

  private Access access(@Nullable String authorization) {
    if (authorization == null && callers.needKeys()) {
      throw RequestException.of(
          RequestException.Reason.UNAUTHORIZED, "send Authorization: Bearer and a key");
    }
    Matcher bearer = BEARER.matcher(authorization == null ? "" : authorization);
    return callers.access(bearer.matches() ? bearer.group(1) : null);
  }

  private static void ensureAllowed(Routes.Found found, Access access) {
    String queue = found.parameters().get("queue");
    RequestException refusal =
        queue == null ? null : access.refusal(found.endpoint().right(), Text.name("queue", queue));
    if (refusal != null) {
      throw refusal;
    }
  }

  private static void ensureKnown(Set<String> known, Target target) {
    for (String parameter : target.query().keySet()) {
      if (!known.contains(parameter)) {
        throw RequestException.field(
            parameter, known.isEmpty() ? "there are no parameters" : "there are only " + known);
      }
    }
  }

  /** What is no request of HTTP, or larger than any may be. */
  void refuse(HttpServerRequest request, Context loop) {
    Exchange exchange =
        new Exchange(request, loop, run + "-" + requests.incrementAndGet(), load.budget());
    exchange.whenOver(() -> counts.count(exchange));
    if (AccessLog.isOn()) {
      exchange.whenOver(() -> AccessLog.log(exchange, "", 0));
    }
    Throwable cause = request.decoderResult().cause();
    Problem.Kind kind = Problem.Kind.BAD_REQUEST;
    if (cause instanceof TooLongHttpLineException) {
      kind = Problem.Kind.URI_TOO_LONG;
    } else if (cause instanceof TooLongHttpHeaderException) {
      kind = Problem.Kind.HEADERS_TOO_LARGE;
    }
    exchange.response().putHeader("Connection", "close");
    exchange.whenOver(() -> request.connection().close());
    exchange.fail(Problem.of(kind, "what was sent is no request that is taken here"));
  }
}
