package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.hosting.KeyFile;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys that are revoked or narrowed while requests of theirs wait at a server process. */
@Timeout(120)
@Tag("full")
class RevokedKeysTest {
  private static final Duration PROMISED = Duration.ofSeconds(1);
  private static final int BLOCKING_PUBLISH_THREADS = 32;
  private static final List<String> NONE = List.of();
  private static final String FULL = "/v1/queues/full";
  private static final String MESSAGES = FULL + "/messages";
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  @TempDir Path directory;

  private KeyFile file;
  private String admin;
  private String shop;
  private ServerProcess server;
  private Asked asked;

  @BeforeEach
  void start() throws IOException {
    file = new KeyFile(directory.resolve("keys.json"));
    admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    shop = file.add("shop", List.of("full"), List.of("orders"), NONE, NONE).text();
    Path xml =
        Files.writeString(
            directory.resolve("river.xml"),
            "<river><server><params><param name='server.keys.file' value='"
                + file.path()
                + "'/><param name='server.queue.port' value='0'/></params></server></river>");
    server = new ServerProcess(directory, List.of(), "server", "--config", xml.toString());
    asked = new Asked(server.port());
    with("PUT", "/v1/queues/orders", "");
    with("PUT", BILLING, "");
    with(
        "PUT", FULL, "{\"maxMessages\":1,\"whenFull\":{\"policy\":\"BLOCK\",\"timeout\":\"30s\"}}");
    with("PUT", FULL + "/subscribers/slow", "");
    with("POST", MESSAGES, "first");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Asked.Reply with(String method, String path, String body) {
    Asked.Reply reply = asked.send(method, path, body, "Authorization", "Bearer " + admin);
    assertThat(reply.status()).as(reply.body()).isBetween(200, 299);
    return reply;
  }

  private CompletableFuture<Asked.Reply> later(String path, String body) {
    return asked.later("POST", path, body, "Authorization", "Bearer " + shop);
  }

  private long figure(String name) {
    return with("GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }

  /** Opens everything that can wait, has the key changed, and looks at how long it still waits. */
  private void assertEnds(String problem, Runnable change) throws Exception {
    CompletableFuture<HttpResponse<String>> stream =
        Asked.client()
            .sendAsync(
                asked.request("POST", BILLING + "/stream", "", "Authorization", "Bearer " + shop),
                HttpResponse.BodyHandlers.ofString());
    var poll = later(BILLING + "/deliveries?wait=60s", "");
    List<CompletableFuture<Asked.Reply>> publishes = new ArrayList<>();
    for (int i = 0; i <= BLOCKING_PUBLISH_THREADS; i++) { // one of them waits for a thread
      publishes.add(later(MESSAGES, "refused " + i));
    }
    await()
        .until(
            () ->
                figure("river_http_polls") == 1
                    && figure("river_http_streams") == 1
                    && figure("river_http_requests_under_way") == BLOCKING_PUBLISH_THREADS + 2);
    long begun = System.nanoTime();
    change.run();

    assertThat(stream.join().body()).isBlank();
    assertThat(poll.join().problem()).isEqualTo(problem);
    for (CompletableFuture<Asked.Reply> each : publishes) {
      assertThat(each.join().problem()).isEqualTo(problem);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(PROMISED);
    assertThat(with("GET", FULL, "").json().at("/stats/nextSequence").asInt()).isEqualTo(1);
    with("POST", FULL + "/subscribers/slow/purge", "");
    with("POST", MESSAGES, "second"); // by threads that were interrupted
    assertThat(server.terminate()).isEqualTo(143);
    assertThat(server.errors()).doesNotContain("RejectedExecution");
  }

  @Test
  void shouldEndWhatWaitsUnderAKeyThatIsRevoked() throws Exception {
    assertEnds("unauthorized", () -> assertThat(file.revoke("shop")).isEqualTo(1));
  }

  @Test
  void shouldEndWhatWaitsUnderAKeyThatIsNarrowed() throws Exception {
    String narrowed =
        Files.readString(file.path())
            .replace("[\"full\"]", "[\"other\"]")
            .replace("[\"orders\"]", "[\"other\"]");
    Path half = Files.writeString(directory.resolve("narrowed"), narrowed);
    assertEnds(
        "forbidden", () -> assertThat(half.toFile().renameTo(file.path().toFile())).isTrue());
  }

  /** The key was good when the head came. */
  @Test
  void shouldNotPublishABodyThatArrivesAfterItsKeyWasRevoked() throws IOException {
    try (Socket slow = asked.connect()) {
      OutputStream out = slow.getOutputStream();
      out.write(
          Asked.head(
                  "POST " + MESSAGES + " HTTP/1.1",
                  "Host: localhost",
                  "Connection: close",
                  "Authorization: Bearer " + shop,
                  "Content-Length: 2")
              .getBytes(StandardCharsets.US_ASCII));
      out.write('x');
      await().until(() -> figure("river_http_buffered_bytes") > 0);
      file.revoke("shop");
      await().until(() -> later(MESSAGES, "x").join().problem().equals("unauthorized"));
      out.write('x');

      String answer = new String(slow.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 401 ");
    }
  }
}
