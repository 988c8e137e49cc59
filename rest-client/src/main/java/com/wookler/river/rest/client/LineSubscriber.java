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
 * Splits the body of an endless response into lines. More is read only when the consumer requests
 * it. An incomplete last line is dropped: the connection broke within it.
 */
final class LineSubscriber implements BodySubscriber<byte[]> {
  /** Consumes lines, and requests more when it has processed them. */
  interface LineConsumer {
    /** Consumes the lines that came together, perhaps none. Never blocks. */
    void take(List<byte[]> lines, Flow.Subscription source);
  }

  private final LineConsumer taker;
  private final CompletableFuture<byte[]> end = new CompletableFuture<>();
  private final ByteArrayOutputStream half = new ByteArrayOutputStream();
  private volatile Flow.Subscription source; // set before the first data

  @SuppressWarnings("NullAway.Init")
  LineSubscriber(LineConsumer taker) {
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
