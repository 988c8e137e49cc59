package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, with typed access to its path, query, headers and body. Values that do not conform to
 * the contract throw a {@link RequestException} that names them. Confined to the request's event
 * loop.
 */
final class ApiRequest {
  private static final int READING_PARTS =
      4; // of memory: data, and JSON with texts in a growing buffer

  private static final int MAX_PREVIEW = 1 << 20;
  private static final String EVERY_QUEUE = "*"; // no name, so that only this pattern fits it

  private final HttpExchange exchange;
  private final Map<String, String> path;
  private final Map<String, List<String>> query;
  private final Buffer body;
  private final Access access;

  ApiRequest(
      HttpExchange exchange,
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

  HttpExchange exchange() {
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

  /** Returns whether the caller has a right on a queue. */
  boolean may(Right right, String queue) {
    return access.allows(right, queue);
  }

  /**
   * Checks that the caller may publish to a queue in a setting, so that River does not publish
   * there without that right.
   *
   * @param queue null if the setting is not given
   */
  void mayPublish(String field, @Nullable String queue) {
    if (queue != null && !may(Right.PUBLISH, ContractFormat.name(field, queue))) {
      throw RequestException.of(
          RequestException.Reason.FORBIDDEN, "the key may not publish to " + queue);
    }
  }

  /** Checks that the caller may administer every queue, also those that do not exist yet. */
  void ensureAdminOfAll() {
    if (!may(Right.ADMIN, EVERY_QUEUE)) {
      throw RequestException.of(
          RequestException.Reason.FORBIDDEN,
          "the key does not have the right to admin on every queue");
    }
  }

  /** Returns the name of the queue or subscriber in the path. */
  String name(String parameter) {
    return ContractFormat.name(parameter, String.valueOf(path.get(parameter)));
  }

  /** Returns the name in the path; null if the path has no such parameter. */
  @Nullable String nameOrNull(String parameter) {
    return path.containsKey(parameter) ? name(parameter) : null;
  }

  long sequenceInPath() {
    return ContractFormat.number(
        "sequence", String.valueOf(path.get("sequence")), 0, Long.MAX_VALUE);
  }

  /** Returns a parameter of the query, or null if it is missing. It must not occur twice. */
  @Nullable String query(String parameter) {
    List<String> all = query.getOrDefault(parameter, List.of());
    if (all.size() > 1) {
      throw RequestException.field(parameter, "the parameter occurs " + all.size() + " times");
    }
    return all.isEmpty() ? null : all.get(0);
  }

  /** Returns the number of bytes after which data in an answer is cut. */
  int preview() {
    return query("preview", Integer.MAX_VALUE, MAX_PREVIEW);
  }

  int query(String parameter, int otherwise, int most) {
    String text = query(parameter);
    return text == null ? otherwise : (int) ContractFormat.number(parameter, text, 1, most);
  }

  boolean query(String parameter, boolean otherwise) {
    Boolean said = flag(parameter);
    return said == null ? otherwise : said;
  }

  /** Returns a parameter that is true or false; null if it is missing. */
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
    Duration value = ContractFormat.duration(parameter, text);
    if (value.compareTo(most) > 0) {
      throw RequestException.field(
          parameter, "'" + text + "' is more than " + ContractFormat.of(most));
    }
    return value;
  }

  @Nullable Instant time(String parameter) {
    String text = query(parameter);
    return text == null ? null : ContractFormat.time(parameter, text);
  }

  /** Returns a header as it was sent, or null if it is missing. */
  @Nullable String header(String name) {
    return request().getHeader(name);
  }

  /** Returns a header that is text in UTF-8, or null if it is missing. It must not occur twice. */
  @Nullable String text(String name) {
    List<String> all = request().headers().getAll(name);
    if (all.size() > 1) {
      throw RequestException.field(name, "the header occurs " + all.size() + " times");
    }
    return all.isEmpty() ? null : RequestTarget.utf8(name, ByteBuffer.wrap(bytes(all.get(0))));
  }

  /** Returns the bytes of a header's value, of which each character is a byte. */
  static byte[] bytes(String header) {
    return header.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Returns the body; empty if there is none. */
  Buffer body() {
    return body;
  }

  /** Returns the bytes of a JSON body. */
  byte[] jsonBody() {
    ensureJson();
    return body().getBytes();
  }

  /** Reads the body as an object of the contract. */
  <T> T body(Class<T> type) {
    ensureJson();
    return Json.read(body().getBytes(), type);
  }

  /** Reads the body as an object of the contract, or returns null if there is no body. */
  <T> @Nullable T bodyOrNull(Class<T> type) {
    return body().length() == 0 ? null : body(type);
  }

  /**
   * Checks the body's media type. A body without a type is accepted as JSON, and so is a form,
   * which is curl's default.
   */
  private void ensureJson() {
    String type = header("Content-Type");
    String bare = type == null ? "" : type.split(";", 2)[0].trim();
    if (!bare.isEmpty()
        && !bare.equalsIgnoreCase("application/json")
        && !bare.equalsIgnoreCase("application/x-www-form-urlencoded")) {
      throw Problem.of(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json, not " + bare);
    }
  }

  /** Runs work that may block, on a worker thread; work of one connection runs concurrently. */
  <T> Future<T> blocking(Callable<T> work) {
    return loop().executeBlocking(work, false);
  }

  /** Returns the size of data at which a response ends, and of texts at which it has no more. */
  long answerBytes() {
    return exchange.budget().answerBytes();
  }

  /** Reads messages for a response on one of a few threads, if there is memory for them. */
  Future<ApiResponse> reading(WorkerExecutor threads, Supplier<ApiResponse> work) {
    Promise<ApiResponse> answered = Promise.promise();
    blocking(
            threads,
            () -> {
              BufferBudget.Share share = exchange.budget().reserve(READING_PARTS * answerBytes());
              try {
                ApiResponse answer = work.get();
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
              read.share().close(); // by now the response is sent, and has a share as an unread one
            })
        .onFailure(answered::fail);
    return answered.future();
  }

  /** A response and its memory until it is sent. */
  private record Read(ApiResponse answer, BufferBudget.Share share) {}

  /** Runs work that may block for long, on dedicated threads. */
  <T> Future<T> blocking(WorkerExecutor threads, Callable<T> work) {
    return threads.executeBlocking(work, false);
  }

  /** Returns a future that completes on the event loop after a future of a queue. */
  <T> Future<T> on(CompletableFuture<T> future) {
    return Future.fromCompletionStage(future, loop());
  }
}
