package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.RequestException;
import io.netty.handler.codec.DecoderException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request in progress and its response, which is sent once. Confined to the event loop of its
 * connection.
 */
final class HttpExchange {
  static final String PROBLEM = "application/problem+json";

  // Encoded and checked once, because each response has them.
  private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("River-Request-Id");
  private static final CharSequence TYPE_OPTIONS =
      HttpHeaders.createOptimized("X-Content-Type-Options");
  private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
  private static final CharSequence FRAME_OPTIONS = HttpHeaders.createOptimized("X-Frame-Options");
  private static final CharSequence DENY = HttpHeaders.createOptimized("DENY");
  private static final CharSequence SECURITY_POLICY =
      HttpHeaders.createOptimized("Content-Security-Policy");
  private static final CharSequence SELF = HttpHeaders.createOptimized("default-src 'self'");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final long LINGER_MILLIS = 1_000;
  private static final int LARGE_BYTES = 1 << 10; // smaller responses hold no share

  private final HttpServerRequest request;
  private final Context loop;
  private final String id;
  private final BufferBudget budget;
  private final List<Runnable> onEnd = new ArrayList<>();
  private @Nullable Problem problem;
  private @Nullable Endpoint endpoint;
  private @Nullable Runnable onLost;
  private @Nullable Future<Void> sent; // null until the end of the response is written
  private boolean over;

  HttpExchange(HttpServerRequest request, Context loop, String id, BufferBudget budget) {
    this.budget = budget;
    this.request = request;
    this.loop = loop;
    this.id = id;
    HttpServerResponse response = response();
    response.endHandler(ended -> end());
    response.closeHandler(closed -> end());
    response.exceptionHandler(this::broken);
    request.exceptionHandler(this::broken);
    response
        .putHeader(REQUEST_ID, id)
        .putHeader(TYPE_OPTIONS, NO_SNIFF)
        .putHeader(FRAME_OPTIONS, DENY)
        .putHeader(SECURITY_POLICY, SELF)
        .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
  }

  HttpServerRequest request() {
    return request;
  }

  HttpServerResponse response() {
    return request.response();
  }

  Context loop() {
    return loop;
  }

  /** Returns the id of the request in logs and responses. */
  String id() {
    return id;
  }

  /** Returns the problem with which the request failed; null if it did not. */
  @Nullable Problem problem() {
    return problem;
  }

  /** Sets the endpoint of the request. */
  void found(Endpoint what) {
    endpoint = what;
  }

  /** Returns the endpoint of the request; null if there is none. */
  @Nullable Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Returns whether the exchange has ended: the response was sent, or the client has disconnected.
   */
  boolean isOver() {
    return over;
  }

  /** Runs a task when the exchange ends; at once if it has ended. */
  void onEnd(Runnable then) {
    if (over) {
      then.run();
    } else {
      onEnd.add(then);
    }
  }

  /**
   * Passes whether the whole response was written, once that is known, which is after the end of
   * the exchange: a client may leave while it reads.
   */
  void onSent(Consumer<Boolean> then) {
    onEnd(
        () ->
            loop.runOnContext( // because the exchange ends while the response does
                later -> {
                  if (sent == null) {
                    then.accept(false);
                  } else {
                    sent.onComplete(written -> then.accept(written.succeeded()));
                  }
                }));
  }

  /** Ends a response that was written in parts. */
  void finish() {
    if (!response().ended()) {
      sent = response().end();
    }
  }

  /** Runs a task if the response cannot be written, as far as the server can detect that. */
  void onLost(Runnable then) {
    onLost = then;
  }

  private void lost() {
    if (onLost != null) {
      onLost.run();
    }
  }

  /** Sends an error for a body that cannot be decoded, before the connection is closed. */
  private void broken(Throwable cause) {
    if (cause instanceof DecoderException || cause instanceof NumberFormatException) {
      failAndClose(
          RequestException.of(
              RequestException.Reason.BAD_REQUEST, "the body's transfer encoding is not valid"));
    }
    end();
  }

  private void end() {
    if (!over) {
      over = true;
      onEnd.forEach(Runnable::run);
      onEnd.clear();
    }
  }

  /** Sends a response, or a problem if it cannot be sent: the request has to end. */
  void sendOrFail(ApiResponse answer) {
    try {
      send(answer);
    } catch (RuntimeException e) {
      lost();
      fail(e);
    }
  }

  private void send(ApiResponse answer) {
    HttpServerResponse response = response();
    if (over || response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(answer.status());
    if (!answer.headers().isEmpty()) {
      answer.headers().forEach(response::putHeader);
    }
    Buffer body = answer.body();
    if (body == null) {
      finish();
    } else {
      response.putHeader(HttpHeaders.CONTENT_TYPE, String.valueOf(answer.type()));
      if (request.method().equals(HttpMethod.HEAD)) {
        response.putHeader("Content-Length", String.valueOf(body.length()));
        finish();
      } else if (body.length() < LARGE_BYTES) {
        sent = response.end(body).onFailure(broken -> lost());
      } else {
        sendLarge(body);
      }
    }
  }

  BufferBudget budget() {
    return budget;
  }

  /** Holds memory until a write has completed, even if none is available. */
  void holdUntil(Future<Void> written, long bytes) {
    if (bytes > 0) {
      BufferBudget.Share share = unread();
      var unused = share.resize(bytes);
      written.onComplete(done -> share.close());
    }
  }

  /** Creates the share of a response. Its eviction closes the connection. */
  private BufferBudget.Share unread() {
    return budget.share(
        () -> loop.runOnContext(evicted -> Connections.abort(request.connection())));
  }

  /**
   * Sends a large response and holds its memory until the client has read it; fails if there is no
   * memory.
   */
  private void sendLarge(Buffer body) {
    BufferBudget.Share share = unread();
    if (share.resize(body.length()) == BufferBudget.Reservation.DENIED) {
      share.close();
      lost();
      fail(budget.full());
      return;
    }
    sent =
        response()
            .end(body)
            .onComplete(
                written -> {
                  share.close();
                  if (written.failed()) {
                    lost();
                  }
                });
  }

  /** A problem document. */
  record ProblemJson(
      String type,
      String title,
      int status,
      @Nullable String detail,
      @Nullable String field,
      @Nullable Long actual,
      String requestId) {}

  /**
   * Reads the rest of a rejected body for a moment, because a client that still writes would not
   * see the response if the connection were closed at once.
   */
  private void discardRemainingBody(Problem.Kind kind) {
    if (request.isEnded() || request.version() == HttpVersion.HTTP_2) {
      return;
    }
    if (kind == Problem.Kind.TOO_LARGE
        || kind == Problem.Kind.TIMEOUT
        || kind == Problem.Kind.UNAVAILABLE) {
      response().putHeader("Connection", "close");
    }
    onEnd(
        () ->
            loop.owner()
                .setTimer(
                    LINGER_MILLIS,
                    late -> {
                      if (!request.isEnded()) {
                        Connections.abort(request.connection());
                      }
                    }));
  }

  /** Fails a request after which the connection cannot be read further. */
  void failAndClose(RequestException why) {
    if (!over && !response().headWritten()) {
      response().putHeader("Connection", "close");
      onEnd(() -> request.connection().close());
      fail(why);
    }
  }

  void fail(Throwable thrown) {
    Problem why = ProblemMapper.of(thrown, id);
    if (over || response().headWritten()) {
      return;
    }
    problem = why;
    if (why.retryAfterSeconds() > 0) {
      response().putHeader("Retry-After", String.valueOf(why.retryAfterSeconds()));
    }
    if (why.allowed() != null) {
      response().putHeader("Allow", why.allowed());
    }
    discardRemainingBody(why.kind());
    Problem.Kind kind = why.kind();
    if (kind == Problem.Kind.UNAUTHORIZED) {
      response().putHeader("WWW-Authenticate", "Bearer");
    }
    send(
        new ApiResponse(
            kind.status(),
            PROBLEM,
            ApiResponse.buffer(
                new ProblemJson(
                    Problem.TYPE + kind.text(),
                    kind.title(),
                    kind.status(),
                    why.detail(),
                    why.field(),
                    why.actual(),
                    id))));
  }
}
