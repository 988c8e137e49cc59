package com.wookler.river.examples;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server that receives events, recognizes duplicates by their {@code Idempotency-Key}, and
 * can be stopped and started again. Thread-safe.
 */
final class RestartableHttpServer implements AutoCloseable {
  private static final int NO_CONTENT = 204;

  @GuardedBy("this")
  private final Map<String, Received> byPath = new HashMap<>();

  private int port;
  private @Nullable HttpServer server; // confined to the thread that created it, like the port

  /** The events received on one path. */
  static final class Received {
    private final Set<String> keys = new HashSet<>();
    private long last = -1;
    private int repeated;
    private boolean inOrder = true;

    private void add(String key) {
      if (!keys.add(key)) {
        repeated++;
        return;
      }
      long sequence = Long.parseLong(key.substring(key.lastIndexOf('-') + 1));
      inOrder &= sequence > last;
      last = sequence;
    }
  }

  /**
   * The state of a path.
   *
   * @param events number of different events
   * @param repeated number of duplicates
   * @param inOrder whether the events arrived in order
   */
  record State(int events, int repeated, boolean inOrder) {}

  /** Starts the server, on its previous port, or on a free one at first. */
  void start() throws IOException {
    HttpServer created =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    created.createContext("/", this::take);
    created.start();
    port = created.getAddress().getPort();
    server = created;
  }

  /** Stops the server. Requests in progress get no response. */
  void stop() {
    if (server != null) {
      server.stop(0);
      server = null;
    }
  }

  boolean isRunning() {
    return server != null;
  }

  int port() {
    return port;
  }

  private void take(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    String key = String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
    synchronized (this) {
      byPath.computeIfAbsent(exchange.getRequestURI().getPath(), path -> new Received()).add(key);
    }
    exchange.sendResponseHeaders(NO_CONTENT, -1);
    exchange.close();
  }

  synchronized State state(String path) {
    Received received = byPath.getOrDefault(path, new Received());
    return new State(received.keys.size(), received.repeated, received.inOrder);
  }

  @Override
  public void close() {
    stop();
  }
}
