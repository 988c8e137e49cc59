package com.wookler.river.rest.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The lines of an answer that has no end. More is read only once all lines that were read are done
 * with. Half a line at the end is dropped: the connection was cut within it.
 */
final class StreamLines implements BodySubscriber<byte[]> {
  /** Takes lines, and has more read when it has done with them. */
  interface Taker {
    /** Takes the lines that came together, perhaps none; never blocks. */
    void take(List<byte[]> lines, Flow.Subscription source);
  }

  private final Taker taker;
  private final CompletableFuture<byte[]> end = new CompletableFuture<>();
  private final ByteArrayOutputStream half = new ByteArrayOutputStream();
  private volatile Flow.Subscription source; // set before anything comes

  @SuppressWarnings("NullAway.Init")
  StreamLines(Taker taker) {
    this.taker = taker;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    List<byte[]> lines = new ArrayList<>();
    for (ByteBuffer buffer : buffers) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      int from = 0;
      for (int i = 0; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          half.write(bytes, from, i - from);
          lines.add(half.toByteArray());
          half.reset();
          from = i + 1;
        }
      }
      half.write(bytes, from, bytes.length - from);
    }
    taker.take(lines, source);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(new byte[0]);
  }
}
