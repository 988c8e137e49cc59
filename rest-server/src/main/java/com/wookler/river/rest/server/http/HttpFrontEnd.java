package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.Authenticator;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches requests to their endpoints, and sends their responses or errors. Checks in this
 * order: the server's state, host and origin, path and method, key, right, query, body, limits.
 */
final class HttpFrontEnd {
  private static final int STOPPING_SECONDS = 5;

  private static final Pattern BEARER =
      Pattern.compile("Bearer +(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final Routes routes;
  private final HostValidator hosts;
  private final RequestCounter counts;
  private final Authenticator authenticator;
  private final StreamTokens tokens;
  private final AdmissionControl admission;
  private final TimeSource time;
  private final BooleanSupplier stopping;
  private final String runId = Long.toHexString(new SecureRandom().nextLong());
  private final AtomicLong requests = new AtomicLong();

  HttpFrontEnd(
      Routes routes,
      HostValidator hosts,
      RequestCounter counts,
      StreamTokens tokens,
      ServerContext context) {
    this.routes = routes;
    this.tokens = tokens;
    this.hosts = hosts;
    this.counts = counts;
    this.authenticator = context.authenticator();
    this.admission = context.admission();
    this.time = context.time();
    this.stopping = context.stopping();
  }

  /** Handles a request on the event loop of its context. */
  void handle(HttpServerRequest request, Context loop, Connections connections) {
    HttpExchange exchange =
        new HttpExchange(
            request, loop, runId + "-" + requests.incrementAndGet(), admission.budget());
    CallerHolder caller = new CallerHolder();
    exchange.onEnd(() -> counts.count(exchange));
    if (AccessLog.isOn()) {
      long start = time.nanoTime();
      exchange.onSent(
          whole -> AccessLog.log(exchange, caller.access.name(), time.nanoTime() - start, whole));
    }
    connections.requestStarted(exchange);
    try {
      begin(exchange, caller, connections);
    } catch (RuntimeException e) {
      exchange.fail(e);
      request.resume();
    }
  }

  /** Holds the caller's rights and the body, once they are known. */
  private static final class CallerHolder {
    Access access = Access.ALL;
    @Nullable Buffer body;
  }

  private void begin(HttpExchange exchange, CallerHolder caller, Connections connections) {
    HttpServerRequest request = exchange.request();
    if (stopping.getAsBoolean()) {
      exchange.response().putHeader("Connection", "close");
      throw RequestException.later(
          RequestException.Reason.UNAVAILABLE, "the server is stopping", STOPPING_SECONDS);
    }
    RequestHeadValidator.check(exchange);
    hosts.check(request);
    RequestTarget target = RequestTarget.of(request.path(), request.query());
    Routes.Match found = routes.find(request.method(), target);
    Endpoint endpoint = found.endpoint();
    exchange.found(endpoint);
    if (AuditLog.covers(endpoint, request)) {
      exchange.onEnd(() -> AuditLog.log(exchange, caller.access.name(), caller.body));
    }
    if (endpoint.right() != Right.NONE) {
      caller.access =
          endpoint.takesToken()
              ? access(request, found, target)
              : access(request.getHeader("Authorization"));
      if (endpoint.acknowledges()) {
        caller.access.countAcknowledgement();
      } else if (!endpoint.takesToken()) { // the request that made the token was counted
        caller.access.countRequest();
      }
      ensureAllowed(found, caller.access);
    }
    ensureKnown(endpoint.query(), target);
    endpoint.checkCondition(request);
    Body body = Body.of(exchange, admission, time.nanoTime());
    connections.bodyArriving(exchange, body);
    Future<ApiResponse> answer =
        body.whole()
            .compose(
                bytes -> {
                  ensureAllowed(
                      found, caller.access); // the key may have changed since the head arrived
                  admission.admitRequest(exchange::onEnd);
                  caller.body = bytes;
                  ApiRequest call =
                      new ApiRequest(
                          exchange, found.parameters(), target.query(), bytes, caller.access);
                  return answer(endpoint, call);
                });
    admission.bodyArriving(body.whole().toCompletionStage()); // until the request is admitted
    answer.onSuccess(exchange::sendOrFail).onFailure(exchange::fail);
  }

  private static Future<ApiResponse> answer(Endpoint endpoint, ApiRequest call) {
    return call.exchange().isOver()
        ? Future.failedFuture(
            RequestException.of(RequestException.Reason.TIMEOUT, "the caller has disconnected"))
        : endpoint.handler().handle(call);
  }

  private Access access(@Nullable String authorization) {
    if (authorization == null && authenticator.requiresKey()) {
      throw RequestException.of(
          RequestException.Reason.UNAUTHORIZED,
          "a key is required: send the header Authorization: Bearer KEY");
    }
    if (authorization == null) {
      return authenticator.authenticate(null);
    }
    Matcher bearer = BEARER.matcher(authorization);
    return authenticator.authenticate(bearer.matches() ? bearer.group(1) : null);
  }

  private Access access(HttpServerRequest request, Routes.Match found, RequestTarget target) {
    List<String> given = target.query().getOrDefault(StreamTokens.PARAMETER, List.of());
    String queue = String.valueOf(found.parameters().get("queue"));
    String subscriber = String.valueOf(found.parameters().get("subscriber"));
    return request.method().equals(HttpMethod.HEAD)
        ? tokens.check(given, queue, subscriber)
        : tokens.redeem(given, queue, subscriber);
  }

  private static void ensureAllowed(Routes.Match found, Access access) {
    String queue = found.parameters().get("queue");
    RequestException denial =
        queue == null
            ? null
            : access.denial(found.endpoint().right(), ContractFormat.name("queue", queue));
    if (denial != null) {
      throw denial;
    }
  }

  private static void ensureKnown(Set<String> known, RequestTarget target) {
    for (String parameter : target.query().keySet()) {
      if (!known.contains(parameter)) {
        throw RequestException.field(
            parameter,
            known.isEmpty()
                ? "is unknown; there are no parameters"
                : "is unknown; there are " + known);
      }
    }
  }

  /** Rejects data that is not an HTTP request, or whose head is too large. */
  void rejectInvalid(HttpServerRequest request, Context loop) {
    HttpExchange exchange =
        new HttpExchange(
            request, loop, runId + "-" + requests.incrementAndGet(), admission.budget());
    exchange.onEnd(() -> counts.count(exchange));
    if (AccessLog.isOn()) {
      exchange.onSent(whole -> AccessLog.log(exchange, "", 0, whole));
    }
    Throwable cause = request.decoderResult().cause();
    Problem.Kind kind = Problem.Kind.BAD_REQUEST;
    if (cause instanceof TooLongHttpLineException) {
      kind = Problem.Kind.URI_TOO_LONG;
    } else if (cause instanceof TooLongHttpHeaderException) {
      kind = Problem.Kind.HEADERS_TOO_LARGE;
    }
    exchange.response().putHeader("Connection", "close");
    exchange.onEnd(() -> request.connection().close());
    exchange.fail(
        Problem.of(kind, "the data is not a valid HTTP request, or its head is too large"));
  }
}
