package com.wookler.river.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the classes to copy. */
@Timeout(120)
class RecipesTest {
  private static final Duration PAUSE = Duration.ofMillis(50);

  @TempDir Path directory;

  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private volatile boolean away;
  private HttpServer receiver;

  @BeforeEach
  void startReceiver() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", this::answer);
    receiver.start();
  }

  @AfterEach
  void stopReceiver() {
    receiver.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int status = away ? 503 : body.contains("wrong") ? 400 : 200;
      if (status == 200) {
        received.add(body);
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
  }

  @Test
  void shouldSendToAWebHookThatIsAwayAndRefuses() {
    away = true;
    try (WebhookSender sender = new WebhookSender(directory, url(), PAUSE)) {
      sender.send("alice", "{\"n\":1}");
      sender.send("bob", "{\"n\":\"wrong\"}");
    }
    try (WebhookSender sender = new WebhookSender(directory, url(), PAUSE)) { // after a restart
      assertThat(sender.waiting()).isEqualTo(2);
      sender.send("alice", "{\"n\":2}");
      away = false;

      await().untilAsserted(() -> assertThat(sender.waiting()).isZero());

      assertThat(received).containsExactly("{\"n\":1}", "{\"n\":2}");
      assertThat(sender.refused().size()).isOne();
    }
  }

  @Test
  void shouldForwardWhatDevicesPost() throws Exception {
    away = true;
    try (DeviceGateway gateway = new DeviceGateway(directory, 0, url(), PAUSE)) {
      URI readings =
          URI.create("http://127.0.0.1:" + gateway.port() + "/v1/queues/readings/messages");
      for (int i = 0; i < 3; i++) {
        HttpRequest post =
            HttpRequest.newBuilder(readings)
                .POST(BodyPublishers.ofString("{\"c\":" + i + "}"))
                .build();
        int status = HttpClient.newHttpClient().send(post, BodyHandlers.discarding()).statusCode();
        assertThat(status).isBetween(200, 299);
      }
      assertThat(gateway.waiting()).isEqualTo(3);
      away = false;

      await().untilAsserted(() -> assertThat(gateway.waiting()).isZero());

      assertThat(String.join("\n", received).lines())
          .containsExactly("{\"c\":0}", "{\"c\":1}", "{\"c\":2}");
    }
  }

  @Test
  void shouldKeepTheLastChangeOfEachRecord() {
    try (AuditLog log = new AuditLog(directory, Duration.ZERO)) {
      for (int i = 0; i < 1_200; i++) {
        log.record("account-" + i % 2, "clerk", "state " + i);
      }
      log.record("account-0", "auditor", "closed");
      assertThat(log.history("account-0")).hasSizeGreaterThan(1);
    }
    try (AuditLog log = new AuditLog(directory, Duration.ZERO)) {
      for (int i = 0; i < 1_000; i++) { // closes the block of before
        log.record("account-2", "clerk", "state " + i);
      }
      log.compact();

      assertThat(log.last("account-1").orElseThrow().state()).isEqualTo("state 1199");
      assertThat(log.last("account-0").orElseThrow().by()).isEqualTo("auditor");
      assertThat(log.history("account-0"))
          .extracting(AuditLog.Change::state)
          .isEqualTo(List.of("closed"));
      log.forget("account-0");
      assertThat(log.last("account-0")).isEmpty();
    }
  }
}
