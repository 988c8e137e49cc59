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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Holds the connections and threads of a client, and its calls in flight. Thread-safe. */
final class Transport implements AutoCloseable {
  private static final AtomicInteger CLIENTS = new AtomicInteger();
  private static final int CONNECTION_THREADS =
      Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  private static final long IDLE_SECONDS = 60;

  private final Settings settings;
  private final Servers servers;
  private final HttpClient http;
  private final ExecutorService threads;
  private final ExecutorService connections;
  private final HandlerExecutor handlers;
  private final TimeoutChecker timeouts;
  private final CompletableFuture<Boolean> closing = new CompletableFuture<>();
  private final Map<Object, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private final Set<Thread> completing = ConcurrentHashMap.newKeySet();
  private volatile boolean closed; // set once

  /**
   * Settings of a client.
   *
   * @param apiKey never shown
   * @param timeout of a response
   * @param connectTimeout of connecting
   * @param retryFor how long a call is retried
   * @param silence after which a stream without data is opened again
   */
  record Settings(
      @Nullable String apiKey,
      Duration timeout,
      Duration connectTimeout,
      Duration retryFor,
      Duration silence,
      @Nullable SSLContext ssl) {
    /** Returns the time limit of an attempt that asks the server to wait. */
    Duration attemptTimeout(Duration wait) {
      return timeout.plus(connectTimeout).plus(wait);
    }

    /** Returns the shortest time limit. */
    Duration shortest() {
      Duration answer = attemptTimeout(Duration.ZERO);
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
    this.handlers = new HandlerExecutor(this, CONNECTION_THREADS);
    this.timeouts = new TimeoutChecker(this, settings.shortest());
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .executor(connections)
            .connectTimeout(settings.connectTimeout())
            .followRedirects(HttpClient.Redirect.NEVER); // the API key must not go elsewhere
    if (settings.ssl() != null) {
      builder.sslContext(settings.ssl());
    }
    this.http = builder.build();
  }

  /** Creates the threads of all connections. Their tasks do not block. */
  private static ExecutorService connections(ThreadFactory daemons) {
    ThreadPoolExecutor few =
        new ThreadPoolExecutor(
            CONNECTION_THREADS,
            CONNECTION_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons);
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

  /** Returns the executor of stream handlers. */
  HandlerExecutor handlers() {
    return handlers;
  }

  /** Returns the threads that run actions which follow results: none of them waits for others. */
  Set<Thread> completing() {
    return completing;
  }

  TimeoutChecker timeouts() {
    return timeouts;
  }

  boolean isClosed() {
    return closed;
  }

  /** Sends a request, with retries. Cancelling the future aborts it. */
  CompletableFuture<Response> send(Request request) {
    return failWhenClosed(new AsyncCall(this, request, null).run());
  }

  /**
   * Sends a request, with retries. Cancelling the future aborts it, unless its response has begun
   * to arrive: that is read to its end and passed on.
   */
  CompletableFuture<Response> send(Request request, Consumer<Response> unclaimed) {
    return failWhenClosed(new AsyncCall(this, request, unclaimed).run());
  }

  /**
   * Sends a request on the calling thread, with retries, and waits for the response.
   *
   * @throws CallInterruptedException the thread was interrupted; its flag is set, and the call
   *     aborted
   */
  Response call(Request request) {
    try {
      return callInterruptibly(request);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Sends a request as {@link #call} does, for callers that handle an interrupt themselves. */
  Response callInterruptibly(Request request) throws InterruptedException {
    return new BlockingCall(this, request).run();
  }

  static CallInterruptedException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new CallInterruptedException("interrupted while waiting for the server", e);
  }

  /**
   * Waits, unless the client is closed.
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
      // the time has passed
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // it never completes exceptionally
    }
  }

  /** Fails a future when the client is closed. */
  <T> CompletableFuture<T> failWhenClosed(CompletableFuture<T> future) {
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

  /** Sends a request once, on the calling thread. */
  HttpResponse<byte[]> send(Server server, Request request)
      throws IOException, InterruptedException {
    return http.send(httpRequest(server, request), HttpResponse.BodyHandlers.ofByteArray());
  }

  /** Sends a request once, without waiting, with a handler for the body of the response. */
  CompletableFuture<HttpResponse<byte[]>> attempt(
      Server server, Request request, HttpResponse.BodyHandler<byte[]> handler) {
    return http.sendAsync(httpRequest(server, request), handler);
  }

  private HttpRequest httpRequest(Server server, Request request) {
    if (closed) {
      throw closedNow();
    }
    byte[] body = request.body();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(server.at(request.path()))
            .method(
                request.method(),
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body))
            .setHeader("User-Agent", "river-client");
    // Without TLS the server cannot offer HTTP/2 (ALPN); there is only an upgrade to try.
    builder.version(
        "https".equalsIgnoreCase(server.base().getScheme())
            ? HttpClient.Version.HTTP_2
            : HttpClient.Version.HTTP_1_1);
    if (settings.apiKey() != null) {
      builder.setHeader("Authorization", "Bearer " + settings.apiKey());
    }
    request.headers().forEach(builder::setHeader);
    return builder.build();
  }

  /**
   * Returns a future that completes after a time, on a thread of this client, or fails with {@link
   * ClientClosedException} if the client is closed by then. A cancelled one frees its memory at
   * once.
   */
  CompletableFuture<?> after(Duration time) {
    return new Timer(time, threads);
  }

  /** Completes on a thread of the client: the JDK's single timer thread only submits a task. */
  private static final class Timer extends CompletableFuture<Object> {
    private final CompletableFuture<Boolean> clock = new CompletableFuture<>();

    Timer(Duration time, ExecutorService threads) {
      var unused =
          clock.thenAccept(
              over -> {
                if (over) {
                  onTime(threads);
                }
              });
      var unused2 = clock.completeOnTimeout(true, Ticker.nanos(time), TimeUnit.NANOSECONDS);
    }

    private void onTime(ExecutorService threads) {
      try {
        threads.execute(() -> complete(clock));
      } catch (RejectedExecutionException e) { // not here: what follows may block
        defaultExecutor().execute(() -> completeExceptionally(closedNow()));
      } catch (OutOfMemoryError e) { // no thread can be started
        complete(clock);
      }
    }

    @Override
    public boolean cancel(boolean interrupt) {
      clock.complete(false); // else it would stay in the timer's heap until it is due
      return super.cancel(interrupt);
    }
  }

  /**
   * Waits for a future.
   *
   * @throws CallInterruptedException the thread was interrupted; its flag is set, and the future
   *     cancelled
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
    Throwable cause = RetryHandler.cause(failure);
    if (cause instanceof RuntimeException known) {
      return known;
    }
    return new OutcomeUnknownException("the call failed: " + cause, cause);
  }

  /** Registers a part that is closed with the client. */
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
    timeouts.endAll();
    for (CompletableFuture<?> call : underWay.values()) {
      call.completeExceptionally(closedNow());
    }
    RuntimeException failure = null;
    for (AutoCloseable part : open) {
      failure = close(part, failure);
    }
    if ((Object) http instanceof AutoCloseable ends) { // from Java 21 on
      failure = close(ends, failure);
    }
    threads.shutdown();
    connections.shutdown();
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable RuntimeException close(
      AutoCloseable part, @Nullable RuntimeException before) {
    try {
      part.close();
      return before;
    } catch (Exception e) {
      RuntimeException now =
          e instanceof RuntimeException known ? known : new IllegalStateException(e);
      if (before != null) {
        before.addSuppressed(now);
      }
      return before == null ? now : before;
    }
  }
}
