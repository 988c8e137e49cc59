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
 * Somebody else's server, on this machine: takes events by HTTP, knows repetitions by their {@code
 * Idempotency-Key}, and can go away. Thread-safe.
 */
final class Receiver implements AutoCloseable {
  private static final int NO_CONTENT = 204;

  @GuardedBy("this")
  private final Map<String, Received> byPath = new HashMap<>();

  private int port;
  private @Nullable HttpServer server; // confined to who made it, like the port

  /** What came by one path. */
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
   * How far it is.
   *
   * @param events different ones
   * @param repeated that had been there before
   * @param inOrder whether each came behind those before it
   */
  record State(int events, int repeated, boolean inOrder) {}

  /** Comes, at the port that it had, at first any that is free. */
  void come() throws IOException {
    HttpServer made =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    made.createContext("/", this::take);
    made.start();
    port = made.getAddress().getPort();
    server = made;
  }

  /** Goes away; requests under way get no answer. */
  void goAway() {
    if (server != null) {
      server.stop(0);
      server = null;
    }
  }

  boolean isThere() {
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
    goAway();
  }
}
