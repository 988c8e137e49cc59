package com.wookler.river.rest.server;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request, with typed access to what it says; whatever does not fit the contract is a {@link
 * Problem} that names it. Confined to the request's event loop.
 */
final class Call {
  private final RoutingContext context;
  private final Context loop;
  private final Access access;

  Call(RoutingContext context, Context loop, Access access) {
    this.context = context;
    this.loop = loop;
    this.access = access;
  }

  RoutingContext context() {
    return context;
  }

  HttpServerRequest request() {
    return context.request();
  }

  Context loop() {
    return loop;
  }

  /** Whether the caller may see a queue. */
  boolean sees(String queue) {
    return access.allows(Right.CONSUME, queue);
  }

  /** The queue or subscriber that the path names. */
  String name(String parameter) {
    return Text.name(parameter, String.valueOf(context.pathParam(parameter)));
  }

  long sequenceInPath() {
    return Text.number(
        "sequence", String.valueOf(context.pathParam("sequence")), 0, Long.MAX_VALUE);
  }

  /** A parameter of the query, or null if it is not there; twice is once too often. */
  @Nullable String query(String parameter) {
    var all = context.queryParam(parameter);
    if (all.size() > 1) {
      throw Problem.field(parameter, "the parameter is there " + all.size() + " times");
    }
    return all.isEmpty() ? null : all.get(0);
  }

  int query(String parameter, int otherwise, int most) {
    String text = query(parameter);
    return text == null ? otherwise : (int) Text.number(parameter, text, 1, most);
  }

  boolean query(String parameter, boolean otherwise) {
    String text = query(parameter);
    return switch (text == null ? String.valueOf(otherwise) : text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw Problem.field(parameter, "'" + text + "' is neither true nor false");
    };
  }

  Duration query(String parameter, Duration otherwise, Duration most) {
    String text = query(parameter);
    if (text == null) {
      return otherwise;
    }
    Duration value = Text.duration(parameter, text);
    if (value.compareTo(most) > 0) {
      throw Problem.field(parameter, "'" + text + "' is more than " + Text.of(most));
    }
    return value;
  }

  @Nullable Instant time(String parameter) {
    String text = query(parameter);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      throw Problem.field(parameter, "'" + text + "' is no time such as 2026-11-20T10:00:00Z");
    }
  }

  /** A header, or null if it is not there. */
  @Nullable String header(String name) {
    return request().getHeader(name);
  }

  /** The whole body; empty if there is none. */
  Buffer body() {
    Buffer body = context.body().buffer();
    return body == null ? Buffer.buffer() : body;
  }

  /** The body as an object of the contract. */
  <T> T body(Class<T> type) {
    return Json.read(body(), type);
  }

  /** Likewise, or null if there is no body. */
  <T> @Nullable T bodyOrNull(Class<T> type) {
    return body().length() == 0 ? null : body(type);
  }

  /** Does what may block, on a thread for that; several of a connection at the same time. */
  <T> Future<T> blocking(Callable<T> work) {
    return loop.executeBlocking(work, false);
  }

  /** What a queue completes on a thread of its own, brought back to the event loop. */
  <T> Future<T> on(CompletableFuture<T> future) {
    return Future.fromCompletionStage(future, loop);
  }
}
