package com.wookler.river.rest.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream of one server, and opens it again when it breaks, until it is finished.
 *
 * <p>The server sends an empty line every 15 seconds where it has nothing else; a connection that
 * is silent for longer than three times that is dead, and is given up. While the handler works the
 * connection is not read, and that does not count.
 */
final class StreamReader implements Runnable {
  private final RemoteSubscriber subscriber;
  private final Transport transport;
  private final Server server;
  private final int credit;
  private final Consumer<RemoteDelivery> handler;
  private final Pause pause = new Pause();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  private volatile @Nullable InputStream body; // for whoever finishes it
  private volatile @Nullable Thread thread; // while it runs

  StreamReader(
      RemoteSubscriber subscriber, Server server, int credit, Consumer<RemoteDelivery> handler) {
    this.subscriber = subscriber;
    this.transport = subscriber.caller().transport();
    this.server = server;
    this.credit = credit;
    this.handler = handler;
  }

  boolean isCurrentThread() {
    return Thread.currentThread().equals(thread);
  }

  /** Ends it; any thread. */
  void finish() {
    finished.complete(null);
    close(body);
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      while (!finished.isDone()) {
        long nanos = pause.nextNanos();
        try {
          read();
        } catch (ClientClosedException e) {
          return;
        } catch (RiverClientException e) {
          if (!isPassing(e)) {
            throw e;
          }
          nanos = Math.max(nanos, e.retryAfter().toNanos());
        } catch (IOException e) {
          // broken; what was out comes again
        }
        rest(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException("the handler's thread was interrupted", e);
    } finally {
      thread = null;
    }
  }

  private static boolean isPassing(RiverClientException failure) {
    return failure instanceof TooManyRequestsException
        || failure instanceof QueueFullException
        || failure instanceof UnavailableException
        || failure instanceof QueueFailedException
        || failure instanceof ServerFailedException;
  }

  private void rest(long nanos) throws InterruptedException {
    try {
      finished.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // it is time
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // nobody completes it so
    }
  }

  private void read() throws IOException, InterruptedException {
    try (InputStream opened = open()) {
      body = opened;
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(opened, StandardCharsets.UTF_8));
      String line = line(lines, opened);
      while (line != null && !finished.isDone()) {
        pause.reset();
        if (!line.isBlank()) {
          handle(delivery(line));
        }
        line = line(lines, opened);
      }
    } finally {
      body = null;
    }
  }

  private InputStream open() throws IOException, InterruptedException {
    Ask ask =
        Ask.get(subscriber.path() + "/stream?credit=" + credit)
            .header("Accept", "application/x-ndjson");
    CompletableFuture<HttpResponse<InputStream>> sent =
        transport.attempt(server, ask, HttpResponse.BodyHandlers.ofInputStream());
    var unused = finished.thenRun(() -> sent.cancel(true));
    try {
      HttpResponse<InputStream> response =
          sent.get(transport.settings().patience(Duration.ZERO).toNanos(), TimeUnit.NANOSECONDS);
      if (response.statusCode() != 200) {
        throw refused(response);
      }
      server.answered();
      return response.body();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException | CancellationException e) {
      sent.cancel(true);
      throw new IOException(e);
    }
  }

  private RiverClientException refused(HttpResponse<InputStream> response) throws IOException {
    try (InputStream opened = response.body()) {
      return Problems.of(
          response.statusCode(), response.headers(), opened.readAllBytes(), server.toString());
    }
  }

  /** The next line; the connection is closed if it does not come. */
  private @Nullable String line(BufferedReader lines, InputStream opened) throws IOException {
    CompletableFuture<?> watch = transport.after(transport.settings().silence());
    var unused = watch.thenRun(() -> close(opened));
    try {
      return lines.readLine();
    } finally {
      watch.cancel(false);
    }
  }

  private RemoteDelivery delivery(String line) throws IOException {
    try {
      return new RemoteDelivery(
          subscriber,
          server,
          Wire.read(line.getBytes(StandardCharsets.UTF_8), Wire.MessageJson.class));
    } catch (IllegalArgumentException e) {
      throw new IOException("half a line", e); // the connection was cut within it
    }
  }

  private void handle(RemoteDelivery delivery) {
    if (finished.isDone()) {
      return; // the server gives it back
    }
    try {
      handler.accept(delivery);
    } catch (RuntimeException e) {
      var unused = subscriber.settleAsync(List.of(delivery), Settlement.nack());
    }
  }

  private static void close(@Nullable InputStream opened) {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (IOException e) {
      // it was broken before
    }
  }
}
