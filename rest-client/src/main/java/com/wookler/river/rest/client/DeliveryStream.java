package com.wookler.river.rest.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Messages that come by themselves, see {@link RemoteSubscriber#stream(int, Consumer)}; from its
 * start until it is closed, or until a server refuses for good.
 *
 * <p>Thread-safe.
 */
public final class DeliveryStream implements AutoCloseable {
  private static final long CLOSE_SECONDS = 10;

  private final Transport transport;
  private final List<StreamReader> readers = new ArrayList<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private CompletableFuture<Void> all = CompletableFuture.completedFuture(null); // set at the start

  private final Runnable beforeTheEnd;

  private DeliveryStream(Transport transport, Runnable beforeTheEnd) {
    this.transport = transport;
    this.beforeTheEnd = beforeTheEnd;
  }

  /**
   * Opens it.
   *
   * @param beforeTheEnd runs when it is closed, after the handler has returned for the last time
   *     and before the server gives back what was not acknowledged
   */
  static DeliveryStream start(
      RemoteSubscriber subscriber,
      int credit,
      Consumer<RemoteDelivery> handler,
      Runnable beforeTheEnd) {
    if (credit < 1 || credit > 10_000) {
      throw new IllegalArgumentException("a credit of " + credit + "; 1 to 10,000 are allowed");
    }
    DeliveryStream stream = new DeliveryStream(subscriber.caller().transport(), beforeTheEnd);
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
                  readers.forEach(StreamReader::finish);
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
                ended.completeExceptionally(Attempts.cause(failure));
              }
            });
  }

  /**
   * Completes when the stream has ended and the handler has returned for the last time: normally
   * after {@link #close}, else with why the server refuses, such as {@link UnauthorizedException}
   * or {@link NotFoundException}.
   */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /**
   * Ends it: the server gives back what was not decided over. Waits for the handler to return, for
   * 10 seconds at most, unless a handler of this stream calls it. Idempotent.
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
      beforeTheEnd.run();
      readers.forEach(StreamReader::finish);
      if (!own) {
        ended.get(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // the future ended() has it
    } finally {
      readers.forEach(StreamReader::finish);
    }
  }
}
