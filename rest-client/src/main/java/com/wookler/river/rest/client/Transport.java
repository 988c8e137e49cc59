package com.wookler.river.rest.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The connections of a client, its threads, and all that is under way. Thread-safe. */
final class Transport implements AutoCloseable {
  private static final AtomicInteger CLIENTS = new AtomicInteger();
  private static final int FEW = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  private static final long IDLE_SECONDS = 60;

  private final Settings settings;
  private final Servers servers;
  private final HttpClient http;
  private final ExecutorService threads;
  private final ExecutorService connections;
  private final HandlerThreads handlers;
  private final TimeLimits limits;
  private final CompletableFuture<Boolean> closing = new CompletableFuture<>();
  private final Map<Object, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed; // set once

  /**
   * Settings of a client.
   *
   * @param apiKey never shown
   * @param timeout for one answer
   * @param connectTimeout for a connection
   * @param retryFor how long a call is repeated
   * @param silence after which a stream on which nothing comes is given up
   */
  record Settings(
      @Nullable String apiKey,
      Duration timeout,
      Duration connectTimeout,
      Duration retryFor,
      Duration silence,
      @Nullable SSLContext ssl) {
    /** How long one attempt may take, if the server is asked to wait so long. */
    Duration patience(Duration wait) {
      return timeout.plus(connectTimeout).plus(wait);
    }

    /** The shortest time limit there is. */
    Duration shortest() {
      Duration answer = patience(Duration.ZERO);
      return answer.compareTo(silence) < 0 ? answer : silence;
    }

    @Override
    public String toString() {
      return "Settings[timeout=" + timeout + ", retryFor=" + retryFor + "]";
    }
  }

  Transport(Servers servers, Settings settings) {
    this.servers = servers;
    this.settings = settings;
    ThreadFactory daemons = daemons();
    this.threads = Executors.newCachedThreadPool(daemons);
    this.connections = connections(daemons);
    this.handlers = new HandlerThreads(this, FEW);
    this.limits = new TimeLimits(this, settings.shortest());
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(connections)
            .connectTimeout(settings.connectTimeout())
            .followRedirects(HttpClient.Redirect.NEVER); // the key goes where it was meant to go
    if (settings.ssl() != null) {
      builder.sslContext(settings.ssl());
    }
    this.http = builder.build();
  }

  /** A few threads for all connections: what runs on them does not block. */
  private static ExecutorService connections(ThreadFactory daemons) {
    ThreadPoolExecutor few =
        new ThreadPoolExecutor(
            FEW, FEW, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons);
    few.allowCoreThreadTimeOut(true);
    return few;
  }

  private static ThreadFactory daemons() {
    int client = CLIENTS.incrementAndGet();
    AtomicInteger threads = new AtomicInteger();
    ThreadFactory plain = Executors.defaultThreadFactory();
    return work -> {
      Thread thread = plain.newThread(work);
      thread.setDaemon(true);
      thread.setName("river-client-" + client + "-" + threads.incrementAndGet());
      return thread;
    };
  }

  Settings settings() {
    return settings;
  }

  Servers servers() {
    return servers;
  }

  ExecutorService threads() {
    return threads;
  }

  /** Where handlers of streams run. */
  HandlerThreads handlers() {
    return handlers;
  }

  TimeLimits limits() {
    return limits;
  }

  boolean isClosed() {
    return closed;
  }

  /** Sends a request, again if need be. Cancelling the future ends it. */
  CompletableFuture<Answer> send(Ask ask) {
    return watched(new Exchange(this, ask).run());
  }

  /**
   * Sends a request by this thread, again if need be, and waits for the answer.
   *
   * @throws CallInterruptedException interrupted; the flag is set, and the call given up
   */
  Answer call(Ask ask) {
    try {
      return callInterruptibly(ask);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Sends a request by this thread, for callers that report an interrupt themselves. */
  Answer callInterruptibly(Ask ask) throws InterruptedException {
    return new BlockingCall(this, ask).run();
  }

  static CallInterruptedException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new CallInterruptedException("interrupted while waiting for the server", e);
  }

  /**
   * Waits.
   *
   * @throws ClientClosedException the client is closed
   */
  void pause(long nanos) throws InterruptedException {
    try {
      if (nanos > 0) {
        closing.get(nanos, TimeUnit.NANOSECONDS);
        throw closedNow();
      }
    } catch (TimeoutException e) {
      // it is time
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // it is never completed so
    }
  }

  /** Has it fail when the client is closed. */
  <T> CompletableFuture<T> watched(CompletableFuture<T> future) {
    Object call = new Object();
    underWay.put(call, future);
    var unused = future.whenComplete((value, failure) -> underWay.remove(call));
    if (closed) {
      future.completeExceptionally(closedNow());
    }
    return future;
  }

  static ClientClosedException closedNow() {
    return new ClientClosedException("the client is closed", null);
  }

  /** Sends it once, by this thread. */
  HttpResponse<byte[]> send(Server server, Ask ask) throws IOException, InterruptedException {
    return http.send(request(server, ask), HttpResponse.BodyHandlers.ofByteArray());
  }

  /** Sends it once, and waits for nothing. */
  CompletableFuture<HttpResponse<byte[]>> attempt(Server server, Ask ask) {
    return attempt(server, ask, HttpResponse.BodyHandlers.ofByteArray());
  }

  /** Sends it once, and has this handler take what comes. */
  CompletableFuture<HttpResponse<byte[]>> attempt(
      Server server, Ask ask, HttpResponse.BodyHandler<byte[]> handler) {
    return http.sendAsync(request(server, ask), handler);
  }

  private HttpRequest request(Server server, Ask ask) {
    if (closed) {
      throw closedNow();
    }
    byte[] body = ask.body();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.at(ask.path()))
            .method(
                ask.method(),
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body))
            .setHeader("User-Agent", "river-client");
    // Over plain text there is no offer of HTTP/2 to look at, only an upgrade to try.
    request.version(
        "https".equalsIgnoreCase(server.base().getScheme())
            ? HttpClient.Version.HTTP_2
            : HttpClient.Version.HTTP_1_1);
    if (settings.apiKey() != null) {
      request.setHeader("Authorization", "Bearer " + settings.apiKey());
    }
    ask.headers().forEach(request::setHeader);
    return request.build();
  }

  /** Completes after a time, on a thread of this client; cancelled, it costs nothing more. */
  CompletableFuture<?> after(Duration time) {
    return new Timer(time, threads);
  }

  /** Runs on the clock's one thread no longer than it takes to hand over to one of ours. */
  private static final class Timer extends CompletableFuture<Object> {
    private final CompletableFuture<Boolean> clock = new CompletableFuture<>();

    Timer(Duration time, ExecutorService threads) {
      var unused =
          clock.thenAccept(
              over -> {
                if (over) {
                  threads.execute(() -> complete(clock));
                }
              });
      var unused2 = clock.completeOnTimeout(true, Ticker.nanos(time), TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean cancel(boolean interrupt) {
      clock.complete(false); // a cancelled one would stay in the clock's heap until it is due
      return super.cancel(interrupt);
    }
  }

  /**
   * Waits for it.
   *
   * @throws CallInterruptedException interrupted; the flag is set, and the call given up
   */
  static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      throw interrupted(e);
    } catch (CancellationException e) {
      throw new OutcomeUnknownException("the call was cancelled", e);
    } catch (ExecutionException e) {
      throw unchecked(e.getCause() == null ? e : e.getCause());
    }
  }

  private static RuntimeException unchecked(Throwable failure) {
    Throwable cause = Attempts.cause(failure);
    if (cause instanceof RuntimeException known) {
      return known;
    }
    return new OutcomeUnknownException("the call failed: " + cause, cause);
  }

  /** Closes it with the client. */
  void add(AutoCloseable part) {
    open.add(part);
    if (closed) {
      throw closedNow();
    }
  }

  void remove(AutoCloseable part) {
    open.remove(part);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing.complete(true);
    limits.endAll();
    for (CompletableFuture<?> call : underWay.values()) {
      call.completeExceptionally(closedNow());
    }
    for (AutoCloseable part : open) {
      try {
        part.close();
      } catch (Exception e) {
        throw new IllegalStateException(e); // our own parts, which throw nothing
      }
    }
    if ((Object) http instanceof AutoCloseable ends) { // from Java 21 on
      try {
        ends.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    threads.shutdown();
    connections.shutdown();
  }
}
