package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.RequestException;
import io.netty.handler.codec.DecoderException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way, and its answer, which is given once. Confined to the event loop of its
 * connection.
 */
final class Exchange {
  static final String PROBLEM = "application/problem+json";
  private static final long LINGER_MILLIS = 1_000;
  private static final int LARGE_BYTES = 1 << 10; // what is smaller counts for nothing

  private final HttpServerRequest request;
  private final Context loop;
  private final String id;
  private final BufferBudget budget;
  private final List<Runnable> whenOver = new ArrayList<>();
  private @Nullable Problem problem;
  private @Nullable Endpoint endpoint;
  private @Nullable Runnable ifLost;
  private boolean over;

  Exchange(HttpServerRequest request, Context loop, String id, BufferBudget budget) {
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
        .putHeader("River-Request-Id", id)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Content-Security-Policy", "default-src 'self'")
        .putHeader("Cache-Control", "no-store");
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

  /** By which the log and the answer know the request. */
  String id() {
    return id;
  }

  /** Why it was refused; null if it was not. */
  @Nullable Problem problem() {
    return problem;
  }

  /** What it asked for. */
  void found(Endpoint what) {
    endpoint = what;
  }

  /** Null if it asked for nothing that there is. */
  @Nullable Endpoint endpoint() {
    return endpoint;
  }

  /** Whether it was answered, or nobody is there any more to be answered. */
  boolean isOver() {
    return over;
  }

  /** Runs when it is over, at once if it is. */
  void whenOver(Runnable then) {
    if (over) {
      then.run();
    } else {
      whenOver.add(then);
    }
  }

  /** Runs if the answer cannot be written, as far as this side can tell. */
  void ifLost(Runnable then) {
    ifLost = then;
  }

  private void lost() {
    if (ifLost != null) {
      ifLost.run();
    }
  }

  /** Answers a body that cannot be decoded, before the connection is closed for that. */
  private void broken(Throwable cause) {
    if (cause instanceof DecoderException || cause instanceof NumberFormatException) {
      failAndClose(
          RequestException.of(
              RequestException.Reason.BAD_REQUEST, "the body is not encoded as HTTP demands"));
    }
    end();
  }

  private void end() {
    if (!over) {
      over = true;
      whenOver.forEach(Runnable::run);
      whenOver.clear();
    }
  }

  void send(Answer answer) {
    HttpServerResponse response = response();
    if (over || response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(answer.status());
    Buffer body = answer.body();
    if (body == null) {
      response.end();
    } else {
      response.putHeader("Content-Type", String.valueOf(answer.type()));
      if (request.method().equals(HttpMethod.HEAD)) {
        response.putHeader("Content-Length", String.valueOf(body.length()));
        response.end();
      } else if (body.length() < LARGE_BYTES) {
        response.end(body).onFailure(broken -> lost());
      } else {
        sendLarge(body);
      }
    }
  }

  BufferBudget budget() {
    return budget;
  }

  /** Holds memory, whether there is any or not, until something is written. */
  void holdUntil(Future<Void> written, long bytes) {
    if (bytes > 0) {
      BufferBudget.Share share = unread();
      var unused = share.resize(bytes);
      written.onComplete(done -> share.close());
    }
  }

  /** Returns the share of what is sent, which a caller that does not read it loses. */
  private BufferBudget.Share unread() {
    return budget.share(
        () -> loop.runOnContext(evicted -> Connections.abort(request.connection())));
  }

  /** Holds memory until the caller has read the answer, if there is any. */
  private void sendLarge(Buffer body) {
    BufferBudget.Share share = unread();
    if (share.resize(body.length()) == BufferBudget.Room.NONE) {
      share.close();
      lost();
      fail(budget.full());
      return;
    }
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

  /** The document of a problem. */
  record ProblemJson(
      String type,
      String title,
      int status,
      @Nullable String detail,
      @Nullable String field,
      String requestId) {}

  /**
   * A body that nobody wants is read for a moment, because who still writes would not see the
   * answer if the connection were closed at once.
   */
  private void endWhatStillComes(Problem.Kind kind) {
    if (request.isEnded() || request.version() == HttpVersion.HTTP_2) {
      return;
    }
    if (kind == Problem.Kind.TOO_LARGE
        || kind == Problem.Kind.TIMEOUT
        || kind == Problem.Kind.UNAVAILABLE) {
      response().putHeader("Connection", "close");
    }
    whenOver(
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

  /** Fails a request after which the connection cannot be read any further. */
  void failAndClose(RequestException why) {
    if (!over && !response().headWritten()) {
      response().putHeader("Connection", "close");
      whenOver(() -> request.connection().close());
      fail(why);
    }
  }

  void fail(Throwable thrown) {
    Problem why = Problems.of(thrown, id);
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
    endWhatStillComes(why.kind());
    Problem.Kind kind = why.kind();
    if (kind == Problem.Kind.UNAUTHORIZED) {
      response().putHeader("WWW-Authenticate", "Bearer");
    }
    send(
        new Answer(
            kind.status(),
            PROBLEM,
            Answer.buffer(
                new ProblemJson(
                    Problem.TYPE + kind.text(),
                    kind.title(),
                    kind.status(),
                    why.detail(),
                    why.field(),
                    id))));
  }
}
