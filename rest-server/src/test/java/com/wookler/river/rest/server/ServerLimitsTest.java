package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server takes at most. */
@Timeout(120)
class ServerLimitsTest {
  private static final Duration SOON = Duration.ofSeconds(20); // a third of what trickle waits for

  private static final String DELIVERIES = "/v1/queues/orders/subscribers/billing/deliveries";

  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;

  private void start(UnaryOperator<RiverServer.Builder> settings) {
    server = settings.apply(RiverServer.builder().port(0).threads(1).directory(directory)).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Writes a byte at a time until the server ends the connection; the time that took. */
  private Duration trickle(String begin) throws IOException {
    long start = System.nanoTime();
    try (Socket socket = asked.connect()) {
      socket.getOutputStream().write(begin.getBytes(StandardCharsets.UTF_8));
      await()
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                try {
                  socket.getOutputStream().write('x');
                  return false;
                } catch (SocketException e) {
                  return true;
                }
              });
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  void shouldEndAConnectionThatSendsNoRequest() throws IOException {
    start(server -> server.idleTimeout(Duration.ofMillis(300)));
    try (Socket silent = asked.connect()) {
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(trickle("GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
        .isBetween(Duration.ofMillis(300), SOON);
    assertThat(trickle("GET /heal")).isLessThan(SOON);
  }

  @Test
  void shouldEndABodyThatComesTooSlowly() throws IOException {
    start(server -> server.requestTimeout(Duration.ofMillis(300)));
    String head =
        Asked.head(
            "POST /v1/queues/orders/messages HTTP/1.1",
            "Host: localhost",
            "Content-Length: 100000");
    try (Socket slow = asked.connect()) {
      slow.getOutputStream().write((head + "x").getBytes(StandardCharsets.UTF_8));
      String answer = new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 408 ").contains("urn:river:problem:timeout");
    }
    assertThat(trickle(head)).isLessThan(SOON);
    assertThat(asked.get("/v1/queues").json().get("queues")).isEmpty();
  }

  @Test
  void shouldNotEndAPollThatWaitsLongerThanThat() {
    start(
        server ->
            server.idleTimeout(Duration.ofMillis(200)).requestTimeout(Duration.ofMillis(200)));
    assertThat(asked.post(DELIVERIES + "?wait=1s", "").body()).isEqualTo("[]");
  }

  @Test
  void shouldTakeSoManyConnectionsAndNoMore() throws IOException {
    start(server -> server.maxConnections(3));
    List<Socket> open = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Socket socket = asked.connect();
      open.add(socket);
      socket
          .getOutputStream()
          .write(
              Asked.head("GET /health/live HTTP/1.1", "Host: localhost")
                  .getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    try (Socket fourth = asked.connect()) {
      assertThat(fourth.getInputStream().read()).isEqualTo(-1);
    }
    for (Socket socket : open) {
      socket.close();
    }
    await()
        .until(
            () ->
                asked
                    .raw(Asked.head("GET /health/live HTTP/1.0", "Host: localhost"))
                    .contains("200"));
  }

  @Test
  void shouldLetSoManyWaitAndNoMore() {
    start(server -> server.maxWaiting(1).maxRequests(1));
    asked.put("/v1/queues/orders", "");
    var waiting = asked.later("POST", DELIVERIES + "?wait=50s", "");
    await().until(() -> server.waiting() == 1);
    for (String path : List.of(DELIVERIES + "?wait=1s")) {
      Asked.Reply second = asked.post(path, "");
      assertThat(second.status()).isEqualTo(429);
      assertThat(second.problem()).isEqualTo("too-many-requests");
      assertThat(second.header("Retry-After")).isEqualTo("1");
    }
    assertThat(asked.get("/v1/queues/orders/subscribers/billing/stream").status()).isEqualTo(429);
    assertThat(asked.post("/v1/queues/orders/messages", "x").status()).isEqualTo(201);
    assertThat(waiting.join().json()).hasSize(1);
  }

  @Test
  void shouldHaveSoManyRequestsUnderWayAndNoMore() throws IOException {
    start(server -> server.maxRequests(1));
    try (Socket under = asked.connect()) {
      under
          .getOutputStream()
          .write(
              (Asked.head(
                          "POST /v1/queues/orders/messages HTTP/1.1",
                          "Host: localhost",
                          "Content-Length: 2")
                      + "x")
                  .getBytes(StandardCharsets.UTF_8));
      await().until(() -> asked.get("/health/live").status() == 429);
    }
    await().until(() -> asked.get("/health/live").status() == 200);
  }

  @Test
  void shouldReadNoDeepOrLongJson() {
    start(server -> server.maxBodyBytes(4 << 20));
    asked.put("/v1/queues/orders/subscribers/billing", "");
    String deep = "{\"whenFull\":".repeat(1_000) + "1" + "}".repeat(1_000);
    assertThat(asked.put("/v1/queues/orders", deep).status()).isEqualTo(400);
    String lines = "{\"data\":\"" + "x".repeat((1 << 20) + 1) + "\"}";
    Asked.Reply reply =
        asked.send(
            "POST", "/v1/queues/orders/messages", lines, "Content-Type", "application/x-ndjson");
    assertThat(reply.status()).isEqualTo(400);
    String typed =
        "[\"com.sun.rowset.JdbcRowSetImpl\",{\"dataSourceName\":\"ldap://localhost/x\"}]";
    assertThat(asked.put("/v1/queues/orders", typed).status()).isEqualTo(400);
    assertThat(
            asked
                .put("/v1/queues/orders", "{\"@class\":\"java.net.URL\",\"durability\":\"DISK\"}")
                .field())
        .isEqualTo("@class");
    assertThat(asked.put("/v1/queues/orders", "{\"maxMessages\":1e999999999}").status())
        .isEqualTo(400);
  }

  @Test
  void shouldRefuseNewRequestsWhileItStops() {
    start(server -> server);
    asked.put("/v1/queues/orders", "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"BLOCK\"}}");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post("/v1/queues/orders/messages", "a");
    server.close();
    server.close(); // again does nothing
    start(server -> server);
    assertThat(asked.get("/v1/queues/orders").status()).isEqualTo(200);
  }
}
