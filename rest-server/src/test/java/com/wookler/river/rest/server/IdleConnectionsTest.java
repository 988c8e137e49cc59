package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many connections that ask nothing, or never come to the end of their question. */
@Timeout(120)
@Tag("full")
class IdleConnectionsTest {
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration HELD_UP = Duration.ofSeconds(5);
  private static final int CROWD = 500;

  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;
  private final List<SocketChannel> crowd = new ArrayList<>();
  private final Set<SocketChannel> slow = new HashSet<>();

  private void start(int connections) {
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory)
            .idleTimeout(IDLE)
            .maxConnections(connections)
            .start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel each : crowd) {
      each.close();
    }
    server.close();
  }

  /** Half of them silent, half in the middle of a header. */
  private void gather(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      SocketChannel channel =
          SocketChannel.open(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      channel.configureBlocking(false);
      crowd.add(channel);
      if (i % 2 == 0) {
        slow.add(channel);
        write(channel, "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
      }
    }
  }

  private static void write(SocketChannel channel, String text) {
    try {
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      // closed: whoever reads sees it
    }
  }

  /** Lets the slow ones send one more byte each, and forgets those that the server has closed. */
  private void step() throws IOException {
    for (SocketChannel each : List.copyOf(crowd)) {
      if (isClosed(each)) {
        each.close();
        crowd.remove(each);
      } else if (slow.contains(each)) {
        write(each, "x");
      }
    }
  }

  private static boolean isClosed(SocketChannel channel) {
    try {
      int read = channel.read(ByteBuffer.allocate(64));
      assertThat(read).as("bytes for who asked nothing").isLessThanOrEqualTo(0);
      return read < 0;
    } catch (IOException e) {
      return true;
    }
  }

  private long figure(String name) {
    HttpResponse<String> metrics = asked.get("/metrics").http();
    return metrics
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Test
  void shouldServeOthersBesideManyIdleConnectionsAndCloseThese() throws Exception {
    start(20_000);
    asked.post("/v1/queues/orders/messages", "warm");
    long opened = System.nanoTime();
    gather(CROWD);
    long longest = 0;
    long firstClosed = 0;
    int served = 0;
    while (!crowd.isEmpty()) {
      long begun = System.nanoTime();
      assertThat(asked.post("/v1/queues/orders/messages", "order").status()).isEqualTo(201);
      assertThat(
              asked
                  .post(
                      "/v1/queues/orders/subscribers/billing/deliveries?create=true&max=1&wait=1s",
                      "")
                  .json())
          .hasSize(1);
      longest = Math.max(longest, System.nanoTime() - begun);
      served++;
      step();
      if (firstClosed == 0 && crowd.size() < CROWD) {
        firstClosed = System.nanoTime() - opened;
      }
      assertThat(Duration.ofNanos(System.nanoTime() - opened)).isLessThan(SOON);
    }

    assertThat(Duration.ofNanos(firstClosed)).isGreaterThan(IDLE);
    assertThat(served).isGreaterThan(3);
    assertThat(Duration.ofNanos(longest)).isLessThan(HELD_UP);
  }

  /** One more than there may be is closed at once, without a wait for its request. */
  @Test
  void shouldRefuseAtOnceAndHaveRoomAgainWhenIdleOnesAreClosed() throws Exception {
    start(50);
    try (CapturedLog log = new CapturedLog(AdmissionControl.class)) {
      long opened = System.nanoTime();
      gather(51);
      await().until(() -> crowd.stream().anyMatch(IdleConnectionsTest::isClosed));
      assertThat(Duration.ofNanos(System.nanoTime() - opened)).isLessThan(IDLE);
      assertThat(log.warnings()).hasSize(1).first().asString().contains("server.max.connections");
    }

    await()
        .atMost(SOON)
        .ignoreExceptions() // of a connection that is refused
        .until(
            () ->
                asked
                    .raw(Asked.head("GET /health/live HTTP/1.0", "Host: localhost"))
                    .contains("200"));
    assertThat(figure("river_http_connections")).isBetween(1L, 5L);
    assertThat(figure("river_http_connections_refused_total")).isPositive();
  }
}
