package com.wookler.river.rest.server;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Takes the body of a request, byte by byte as it is sent whatever its type, and no more than is
 * allowed. Confined to the event loop of its connection.
 */
final class Body {
  private static final Buffer EMPTY = Buffer.buffer();

  private final HttpServerRequest request;
  private final long most;
  private final Promise<Buffer> whole = Promise.promise();
  private @Nullable Buffer taken;
  private int parts; // the first is not ours to append to

  private Body(HttpServerRequest request, long most) {
    this.request = request;
    this.most = most;
  }

  /** What comes, fails with a {@link Problem} if it is too much. */
  static Body of(HttpServerRequest request, long most) {
    Body body = new Body(request, most);
    body.take();
    return body;
  }

  Future<Buffer> whole() {
    return whole.future();
  }

  private void take() {
    String length = request.getHeader("Content-Length");
    if (length != null && length.length() < 19 && Long.parseLong(length) > most) {
      fail(tooLarge());
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    request.handler(this::add);
    request.endHandler(end -> whole.tryComplete(taken == null ? EMPTY : taken));
  }

  private void add(Buffer part) {
    if (whole.future().isComplete()) {
      return; // the rest of what is refused
    }
    long length = (taken == null ? 0 : taken.length()) + (long) part.length();
    if (length > most) {
      fail(tooLarge());
    } else if (taken == null) {
      taken = part;
      parts = 1;
    } else {
      taken = parts++ == 1 ? taken.copy().appendBuffer(part) : taken.appendBuffer(part);
    }
  }

  private Problem tooLarge() {
    return Problem.of(Problem.Kind.TOO_LARGE, "the body has more than " + most + " bytes");
  }

  /** Gives it up; what still comes is thrown away. */
  void fail(Problem why) {
    taken = null;
    whole.tryFail(why);
  }
}
