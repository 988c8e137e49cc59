package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.Text;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, with typed access to what it says; whatever does not fit the contract is a {@link
 * RequestException} that names it. Confined to the request's event loop.
 */
final class Call {
  private static final int READING_PARTS = 4; // data, and JSON in a buffer that grows

  private final Exchange exchange;
  private final Map<String, String> path;
  private final Map<String, List<String>> query;
  private final Buffer body;
  private final Access access;

  Call(
      Exchange exchange,
      Map<String, String> path,
      Map<String, List<String>> query,
      Buffer body,
      Access access) {
    this.exchange = exchange;
    this.path = path;
    this.query = query;
    this.body = body;
    this.access = access;
  }

  Exchange exchange() {
    return exchange;
  }

  HttpServerRequest request() {
    return exchange.request();
  }

  Context loop() {
    return exchange.loop();
  }

  Access access() {
    return access;
  }

  /** Whether the caller may do this with a queue. */
  boolean may(Right right, String queue) {
    return access.allows(right, queue);
  }

  /**
   * Refuses a setting that would let the caller publish, through River, where he may not.
   *
   * @param queue null: none is named
   */
  void mayPublish(String field, @Nullable String queue) {
    if (queue != null && !may(Right.PUBLISH, Text.name(field, queue))) {
      throw RequestException.of(
          RequestException.Reason.FORBIDDEN, "the key may not publish to " + queue);
    }
  }

  /** The queue or subscriber that the path names. */
  String name(String parameter) {
    return Text.name(parameter, String.valueOf(path.get(parameter)));
  }

  long sequenceInPath() {
    return Text.number("sequence", String.valueOf(path.get("sequence")), 0, Long.MAX_VALUE);
  }

  /** A parameter of the query, or null if it is not there; twice is once too often. */
  @Nullable String query(String parameter) {
    List<String> all = query.getOrDefault(parameter, List.of());
    if (all.size() > 1) {
      throw RequestException.field(parameter, "the parameter is there " + all.size() + " times");
    }
    return all.isEmpty() ? null : all.get(0);
  }

  int query(String parameter, int otherwise, int most) {
    String text = query(parameter);
    return text == null ? otherwise : (int) Text.number(parameter, text, 1, most);
  }

  boolean query(String parameter, boolean otherwise) {
    Boolean said = flag(parameter);
    return said == null ? otherwise : said;
  }

  /** What a parameter says that is true or false; null if it is not there. */
  @Nullable Boolean flag(String parameter) {
    String text = query(parameter);
    if (text == null) {
      return null;
    }
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw RequestException.field(parameter, "'" + text + "' is neither true nor false");
    };
  }

  Duration query(String parameter, Duration otherwise, Duration most) {
    String text = query(parameter);
    if (text == null) {
      return otherwise;
    }
    Duration value = Text.duration(parameter, text);
    if (value.compareTo(most) > 0) {
      throw RequestException.field(parameter, "'" + text + "' is more than " + Text.of(most));
    }
    return value;
  }

  @Nullable Instant time(String parameter) {
    String text = query(parameter);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      throw RequestException.field(
          parameter, "'" + text + "' is no time such as 2026-11-20T10:00:00Z");
    }
  }

  /** A header as it was sent, or null if it is not there. */
  @Nullable String header(String name) {
    return request().getHeader(name);
  }

  /** A header that is text in UTF-8; null if it is not there, and there it is once. */
  @Nullable String text(String name) {
    List<String> all = request().headers().getAll(name);
    if (all.size() > 1) {
      throw RequestException.field(name, "the header is there " + all.size() + " times");
    }
    return all.isEmpty() ? null : Target.utf8(name, ByteBuffer.wrap(bytes(all.get(0))));
  }

  /** The bytes of a header's value, each of which comes as a character. */
  static byte[] bytes(String header) {
    return header.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The whole body; empty if there is none. */
  Buffer body() {
    return body;
  }

  /** The bytes of a body that has to be JSON. */
  byte[] jsonBody() {
    ensureJson();
    return body().getBytes();
  }

  /** The body as an object of the contract. */
  <T> T body(Class<T> type) {
    ensureJson();
    return Json.read(body().getBytes(), type);
  }

  /** Likewise, or null if there is no body. */
  <T> @Nullable T bodyOrNull(Class<T> type) {
    return body().length() == 0 ? null : body(type);
  }

  /**
   * A body without a type is taken for JSON; so is a form, which curl says of all that it sends.
   */
  private void ensureJson() {
    String type = header("Content-Type");
    String bare = type == null ? "" : type.split(";", 2)[0].trim();
    if (!bare.isEmpty()
        && !bare.equalsIgnoreCase("application/json")
        && !bare.equalsIgnoreCase("application/x-www-form-urlencoded")) {
      throw Problem.of(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE, "the body is to be application/json, not " + bare);
    }
  }

  /** Does what may block, on a thread for that; several of a connection at the same time. */
  <T> Future<T> blocking(Callable<T> work) {
    return loop().executeBlocking(work, false);
  }

  /** Returns the size of data at which an answer ends. */
  long answerBytes() {
    return exchange.budget().answerBytes();
  }

  /** Reads messages for an answer on one of few threads, where there is memory for them. */
  Future<Answer> reading(WorkerExecutor threads, Supplier<Answer> work) {
    Promise<Answer> answered = Promise.promise();
    blocking(
            threads,
            () -> {
              BufferBudget.Share share = exchange.budget().reserve(READING_PARTS * answerBytes());
              try {
                Answer answer = work.get();
                share.keep(answer.body() == null ? 0 : answer.body().length());
                return new Read(answer, share);
              } catch (Throwable e) {
                share.close();
                throw e;
              }
            })
        .onSuccess(
            read -> {
              answered.complete(read.answer());
              read.share().close(); // by now the answer is sent, and counts as one that is unread
            })
        .onFailure(answered::fail);
    return answered.future();
  }

  /** An answer, and what it holds until it is sent. */
  private record Read(Answer answer, BufferBudget.Share share) {}

  /** Likewise, where it may take long: on threads that nobody else needs. */
  <T> Future<T> blocking(WorkerExecutor threads, Callable<T> work) {
    return threads.executeBlocking(work, false);
  }

  /** What a queue completes on a thread of its own, brought back to the event loop. */
  <T> Future<T> on(CompletableFuture<T> future) {
    return Future.fromCompletionStage(future, loop());
  }
}
