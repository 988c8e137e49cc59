package com.wookler.river.rest.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Delivers messages to a handler as they arrive, see {@link RemoteSubscriber#stream(int,
 * Consumer)}, until it is closed or a server rejects it permanently.
 *
 * <p>Thread-safe.
 */
public final class DeliveryStream implements AutoCloseable {
  private static final long CLOSE_SECONDS = 10;

  private final Transport transport;
  private final List<StreamReader> readers = new ArrayList<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private CompletableFuture<Void> all = CompletableFuture.completedFuture(null); // set at the start

  private final Runnable beforeRelease;

  private DeliveryStream(Transport transport, Runnable beforeRelease) {
    this.transport = transport;
    this.beforeRelease = beforeRelease;
  }

  /**
   * Opens a stream.
   *
   * @param beforeRelease runs when the stream is closed, after the handler has returned for the
   *     last time and before the server releases the messages that were not acknowledged
   */
  static DeliveryStream start(
      RemoteSubscriber subscriber,
      int credit,
      Consumer<RemoteDelivery> handler,
      Runnable beforeRelease) {
    if (credit < 1 || credit > 10_000) {
      throw new IllegalArgumentException("a credit of " + credit + "; 1 to 10,000 are allowed");
    }
    DeliveryStream stream = new DeliveryStream(subscriber.caller().transport(), beforeRelease);
    stream.transport.add(stream);
    stream.open(subscriber, credit, handler);
    return stream;
  }

  private void open(RemoteSubscriber subscriber, int credit, Consumer<RemoteDelivery> handler) {
    for (Server server : subscriber.caller().servers()) {
      readers.add(new StreamReader(subscriber, server, credit, handler));
    }
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (StreamReader reader : readers) {
      CompletableFuture<Void> end = reader.start();
      ends.add(end);
      var unused =
          end.whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  readers.forEach(StreamReader::cancel);
                }
              });
    }
    all = CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0]));
    var unused =
        all.whenComplete(
            (done, failure) -> {
              transport.remove(this);
              if (failure == null) {
                ended.complete(null);
              } else {
                ended.completeExceptionally(RetryHandler.cause(failure));
              }
            });
  }

  /**
   * Returns a future that completes when the stream has ended and the handler has returned for the
   * last time: normally after {@link #close}, else with the error of the server, such as {@link
   * UnauthorizedException} or {@link NotFoundException}.
   */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /**
   * Closes the stream: the server releases the messages that were not acknowledged. Waits for the
   * handler to return, for 10 seconds at most, unless a handler of this stream calls it.
   * Idempotent.
   */
  @Override
  public void close() {
    List<CompletableFuture<Void>> idle = readers.stream().map(StreamReader::stop).toList();
    boolean own = readers.stream().anyMatch(StreamReader::isCurrentThread);
    try {
      if (!own) {
        CompletableFuture.allOf(idle.toArray(new CompletableFuture<?>[0]))
            .get(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      beforeRelease.run();
      readers.forEach(StreamReader::cancel);
      if (!own) {
        ended.get(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // the future ended() has it
    } finally {
      readers.forEach(StreamReader::cancel);
    }
  }
}
