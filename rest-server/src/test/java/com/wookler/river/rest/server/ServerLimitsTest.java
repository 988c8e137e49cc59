package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.http.Body;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
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

  @Tag("full")
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
    assertThat(asked.post(DELIVERIES + "?create=true&wait=1s", "").body()).isEqualTo("[]");
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
    var waiting = asked.later("POST", DELIVERIES + "?create=true&wait=50s", "");
    await().until(() -> server.waiting() == 1);
    for (String path : List.of(DELIVERIES + "?wait=1s")) {
      Asked.Reply second = asked.post(path, "");
      assertThat(second.status()).isEqualTo(429);
      assertThat(second.problem()).isEqualTo("too-many-requests");
      assertThat(second.header("Retry-After")).isEqualTo("1");
    }
    assertThat(asked.post("/v1/queues/orders/subscribers/billing/stream", "").status())
        .isEqualTo(429);
    assertThat(asked.post("/v1/queues/orders/messages", "x").status()).isEqualTo(201);
    assertThat(waiting.join().json()).hasSize(1);
  }

  @Test
  void shouldHaveSoManyRequestsUnderWayAndNoMore() throws IOException {
    start(server -> server.maxRequests(1));
    asked.put("/v1/queues/orders", "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"BLOCK\"}}");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post("/v1/queues/orders/messages", "a");
    try (Socket under = asked.connect()) {
      under
          .getOutputStream()
          .write(
              (Asked.head(
                          "POST /v1/queues/orders/messages HTTP/1.1",
                          "Host: localhost",
                          "Content-Length: 1")
                      + "x")
                  .getBytes(StandardCharsets.UTF_8));
      await().until(() -> asked.get("/health/live").status() == 429);
    }
    await().until(() -> asked.get("/health/live").status() == 200);
  }

  private Socket halfSent(int bytes) throws IOException {
    Socket socket = asked.connect();
    OutputStream out = socket.getOutputStream();
    out.write(
        Asked.head(
                "POST /v1/queues/orders/messages HTTP/1.1",
                "Host: localhost",
                "Content-Length: 200000")
            .getBytes(StandardCharsets.UTF_8));
    out.write(new byte[bytes]);
    out.flush();
    return socket;
  }

  /** Those who stall give way to those who send, in the order in which they stalled. */
  @Test
  void shouldMakeRoomForABodyByGivingUpTheOneThatStalledFirst() throws IOException {
    start(server -> server.maxBodyBytes(200_000).maxBufferedBytes(900_000));
    List<Socket> stalled = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      stalled.add(halfSent(150_000));
      int sent = i + 1;
      await().until(() -> buffered() >= Math.min(sent, 4) * 150_000L);
    }
    String first =
        new String(stalled.get(0).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(first)
        .startsWith("HTTP/1.1 503 ")
        .containsIgnoringCase("retry-after: 1")
        .contains("urn:river:problem:unavailable", "server.max.buffered.bytes");
    for (int i = 0; i < 20; i++) {
      assertThat(asked.post("/v1/queues/orders/messages", "x".repeat(190_000)).status())
          .isEqualTo(201);
    }
    assertThat(buffered()).isBetween(1L, 900_000L);
    for (Socket each : stalled) {
      each.close();
    }
    await().until(() -> buffered() == 0);
  }

  private long buffered() {
    return asked
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("river_http_buffered_bytes "))
        .mapToLong(line -> (long) Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }

  @Tag("full")
  @Test
  void shouldEndABodyThatStalls() throws IOException {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
    start(server -> server.timeSource(time).requestTimeout(Duration.ofHours(9)));
    try (Socket slow = halfSent(10_000)) {
      await().until(() -> buffered() > 0);
      time.advance(Body.RATE_WINDOW); // in which enough came
      await()
          .until(
              () -> {
                time.advance(Duration.ofSeconds(1));
                return slow.getInputStream().available() > 0;
              });
      String answer = new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 408 ").contains("server.min.body.rate");
    }
  }

  @Test
  void shouldTakeSoManyConnectionsFromOneAddressAndNoMore() throws IOException {
    start(server -> server.maxConnectionsPerAddress(2));
    try (Socket first = asked.connect();
        Socket second = asked.connect()) {
      for (Socket each : List.of(first, second)) {
        each.getOutputStream()
            .write(
                Asked.head("GET /health/live HTTP/1.1", "Host: localhost")
                    .getBytes(StandardCharsets.UTF_8));
        assertThat(each.getInputStream().read()).isEqualTo('H');
      }
      try (Socket third = asked.connect()) {
        assertThat(third.getInputStream().read()).isEqualTo(-1);
      }
      try (Socket another = new Socket()) {
        another.bind(new InetSocketAddress("127.0.0.2", 0));
        another.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        another
            .getOutputStream()
            .write(
                Asked.head("GET /health/live HTTP/1.1", "Host: localhost")
                    .getBytes(StandardCharsets.UTF_8));
        assertThat(another.getInputStream().read()).isEqualTo('H');
      }
    }
  }

  @Test
  void shouldHaveRoomForSomeBodiesAtLeast() {
    assertThatThrownBy(
            () ->
                RiverServer.builder()
                    .directory(directory)
                    .maxBodyBytes(1_000)
                    .maxBufferedBytes(3_999)
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("server.max.buffered.bytes");
    start(server -> server.maxBodyBytes(1_000).maxBufferedBytes(4_000_000));
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
