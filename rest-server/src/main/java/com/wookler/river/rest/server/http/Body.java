package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.BufferBudget;
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
 * Receives the body of a request, up to the largest size allowed, and no more than there is memory
 * for: while others are evicted, the request is not read. Confined to the event loop of its
 * connection.
 */
public final class Body {
  /** The interval in which the rate of a body is compared with {@code server.min.body.rate}. */
  public static final Duration RATE_WINDOW = Duration.ofSeconds(5);

  private static final Buffer EMPTY = Buffer.buffer();
  private static final int REQUEST_BYTES = 4 << 10; // memory of the request itself
  private static final int LARGE_PART_BYTES = 2 << 10; // smaller parts are merged
  private static final int SEGMENT_BYTES = 16 << 10;

  private final HttpServerRequest request;
  private final Context loop;
  private final AdmissionControl admission;
  private final BufferBudget.Share share;
  private final Promise<Buffer> whole = Promise.promise();
  private final long since;
  private final List<Buffer> parts = new ArrayList<>();
  private long length;
  private long capacity; // of the parts
  private int room; // free bytes in the last part
  private long windowSince;
  private long windowBytes;
  private boolean paused;

  private Body(HttpExchange exchange, AdmissionControl admission, long now) {
    this.request = exchange.request();
    this.loop = exchange.loop();
    this.admission = admission;
    this.since = now;
    this.windowSince = now;
    this.share =
        admission
            .budget()
            .share(() -> loop.runOnContext(evicted -> fail(admission.budget().full())));
  }

  /**
   * Starts to receive a body. It fails with a {@link RequestException} if the body is too large or
   * arrives too slowly.
   */
  static Body of(HttpExchange exchange, AdmissionControl admission, long now) {
    Body body = new Body(exchange, admission, now);
    exchange.onEnd(body::forget);
    body.take();
    return body;
  }

  Future<Buffer> whole() {
    return whole.future();
  }

  /** Returns how many bytes have arrived, before the body was rejected if it was. */
  long received() {
    return length;
  }

  private void take() {
    String declared = request.getHeader("Content-Length");
    if (declared != null
        && declared.length() < 19
        && Long.parseLong(declared) > admission.limits().bodyBytes()) {
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
      return; // the rest of a rejected body
    }
    length += part.length();
    windowBytes += part.length();
    if (length > admission.limits().bodyBytes()) {
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
      case GRANTED -> {}
      case PENDING -> pause();
      case DENIED -> fail(admission.budget().full());
    }
  }

  /** Pauses the request until evicted shares have released their memory. */
  private void pause() {
    if (!paused) {
      paused = true;
      request.pause();
      admission.budget().whenAvailable(() -> loop.runOnContext(room -> resume()));
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

  /** Merges the parts. Until then a body that never ends needs no large array. */
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
        "the body has more than " + admission.limits().bodyBytes() + " bytes");
  }

  /** Fails the body if it arrives too slowly. */
  void check(long now) {
    long longest = admission.limits().request().toNanos();
    if (now - since > longest) {
      fail(
          slow(
              "the body did not arrive within " + admission.limits().request().toMillis() + " ms"));
    } else if (paused) {
      windowSince = now;
      windowBytes = 0;
    } else if (now - windowSince >= RATE_WINDOW.toNanos()) {
      if (windowBytes < admission.limits().bodyRate() * RATE_WINDOW.toSeconds()) {
        fail(
            slow(
                "only "
                    + windowBytes
                    + " bytes of the body arrived in "
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

  /** Fails the body. The rest of it is discarded. */
  private void fail(RequestException why) {
    if (!whole.future().isComplete()) {
      release();
      whole.fail(why);
    }
  }

  /** Releases the memory when the request has ended. */
  private void forget() {
    fail(RequestException.of(RequestException.Reason.TIMEOUT, "the caller has disconnected"));
    release();
  }

  private void release() {
    parts.clear();
    share.close();
    resume();
  }
}
