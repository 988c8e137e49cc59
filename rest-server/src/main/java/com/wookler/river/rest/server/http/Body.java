package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the body of a request, byte by byte as it is sent whatever its type, no more than is
 * allowed, and no more than there is memory for: while others are evicted to make room, the request
 * is not read. Confined to the event loop of its connection.
 */
public final class Body {
  /** In which a body has to bring as many bytes as {@code server.min.body.rate} says. */
  public static final Duration RATE_WINDOW = Duration.ofSeconds(5);

  private static final Buffer EMPTY = Buffer.buffer();
  private static final int REQUEST_BYTES = 4 << 10; // what a request itself holds while it arrives
  private static final int LARGE_PART_BYTES = 2 << 10; // what is smaller is put together
  private static final int SEGMENT_BYTES = 16 << 10;

  private final HttpServerRequest request;
  private final Context loop;
  private final Load load;
  private final BufferBudget.Share share;
  private final Promise<Buffer> whole = Promise.promise();
  private final long since;
  private final List<Buffer> parts = new ArrayList<>();
  private long length;
  private long capacity; // of the parts
  private int room; // in the last part
  private long windowSince;
  private long windowBytes;
  private boolean paused;

  private Body(Exchange exchange, Load load, long now) {
    this.request = exchange.request();
    this.loop = exchange.loop();
    this.load = load;
    this.since = now;
    this.windowSince = now;
    this.share =
        load.budget().share(() -> loop.runOnContext(evicted -> fail(load.budget().full())));
  }

  /**
   * What comes, fails with a {@link RequestException} if it is too much, or if it comes too slowly.
   */
  static Body of(Exchange exchange, Load load, long now) {
    Body body = new Body(exchange, load, now);
    exchange.whenOver(body::forget);
    body.take();
    return body;
  }

  Future<Buffer> whole() {
    return whole.future();
  }

  /** Returns how many bytes came before it was whole or refused. */
  long received() {
    return length;
  }

  private void take() {
    String declared = request.getHeader("Content-Length");
    if (declared != null
        && declared.length() < 19
        && Long.parseLong(declared) > load.limits().bodyBytes()) {
      fail(tooLarge());
      return;
    }
    hold();
    if (whole.future().isComplete()) {
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    request.handler(this::add);
    request.endHandler(end -> end());
  }

  private void add(Buffer part) {
    if (whole.future().isComplete() || part.length() == 0) {
      return; // the rest of what is refused
    }
    length += part.length();
    windowBytes += part.length();
    if (length > load.limits().bodyBytes()) {
      fail(tooLarge());
      return;
    }
    if (room >= part.length()) {
      room -= part.length();
      var unused = parts.get(parts.size() - 1).appendBuffer(part);
    } else if (parts.isEmpty() || part.length() >= LARGE_PART_BYTES) {
      parts.add(part);
      capacity += part.length();
      room = 0;
    } else {
      parts.add(Buffer.buffer(SEGMENT_BYTES).appendBuffer(part));
      capacity += SEGMENT_BYTES;
      room = SEGMENT_BYTES - part.length();
    }
    hold();
  }

  private void hold() {
    switch (share.resize(REQUEST_BYTES + capacity)) {
      case FREE -> {}
      case SOON -> pause();
      case NONE -> fail(load.budget().full());
    }
  }

  /** Reads on when those who are evicted have released what they held. */
  private void pause() {
    if (!paused) {
      paused = true;
      request.pause();
      load.budget().whenRoom(() -> loop.runOnContext(room -> resume()));
    }
  }

  private void resume() {
    if (paused) {
      paused = false;
      request.resume();
    }
  }

  private void end() {
    if (!whole.future().isComplete()) {
      Buffer all = all();
      parts.clear();
      share.keep(length);
      whole.complete(all);
    }
  }

  /** Puts the parts together; before, no large array is needed for a body that never ends. */
  private Buffer all() {
    if (parts.size() <= 1) {
      return parts.isEmpty() ? EMPTY : parts.get(0);
    }
    Buffer all = Buffer.buffer((int) length);
    parts.forEach(all::appendBuffer);
    return all;
  }

  private RequestException tooLarge() {
    return RequestException.of(
        RequestException.Reason.TOO_LARGE,
        "the body has more than " + load.limits().bodyBytes() + " bytes");
  }

  /** Gives it up if it comes too slowly. */
  void check(long now) {
    long longest = load.limits().request().toNanos();
    if (now - since > longest) {
      fail(slow("the body was not here after " + load.limits().request().toMillis() + " ms"));
    } else if (paused) {
      windowSince = now;
      windowBytes = 0;
    } else if (now - windowSince >= RATE_WINDOW.toNanos()) {
      if (windowBytes < load.limits().bodyRate() * RATE_WINDOW.toSeconds()) {
        fail(
            slow(
                "of the body there came "
                    + windowBytes
                    + " bytes in "
                    + RATE_WINDOW.toSeconds()
                    + " s, less than server.min.body.rate"));
      }
      windowSince = now;
      windowBytes = 0;
    }
  }

  private static RequestException slow(String detail) {
    return RequestException.of(RequestException.Reason.TIMEOUT, detail);
  }

  /** Gives it up; what still comes is thrown away. */
  private void fail(RequestException why) {
    if (!whole.future().isComplete()) {
      release();
      whole.fail(why);
    }
  }

  /** The request is over: it is answered, or the caller has gone. */
  private void forget() {
    fail(RequestException.of(RequestException.Reason.TIMEOUT, "the caller has gone"));
    release();
  }

  private void release() {
    parts.clear();
    share.close();
    resume();
  }
}
