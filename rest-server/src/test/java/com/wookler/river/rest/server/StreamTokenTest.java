package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.rest.server.hosting.KeyFile;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Streams that a token opens instead of a key. */
@Timeout(120)
class StreamTokenTest {
  private static final List<String> NONE = List.of();
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";
  private static final String TOKENS = BILLING + "/stream-tokens";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private KeyFile file;
  private String admin;
  private String consumer;
  private String publisher;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    file = new KeyFile(directory.resolve("keys.json"));
    admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    consumer = file.add("consumer", NONE, List.of("*"), NONE, NONE).text();
    publisher = file.add("publisher", List.of("*"), NONE, NONE, NONE).text();
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("data"))
            .keys(file.path())
            .timeSource(time)
            .start();
    asked = new Asked(server);
    with(admin, "PUT", "/v1/queues/orders", "");
    with(admin, "PUT", BILLING, "");
    with(admin, "PUT", BILLING + "-of-eu", "");
    with(admin, "PUT", "/v1/queues/prices", "");
    with(admin, "PUT", "/v1/queues/prices/subscribers/billing", "");
    with(admin, "POST", "/v1/queues/orders/messages", "order 0");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Asked.Reply with(String key, String method, String path, String body) {
    return asked.send(method, path, body, "Authorization", "Bearer " + key);
  }

  private String token() {
    Asked.Reply made = with(consumer, "POST", TOKENS, "");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("Cache-Control")).isEqualTo("no-store");
    assertThat(made.json().get("leftMillis").asLong()).isEqualTo(60_000);
    return made.json().get("token").asText();
  }

  private HttpResponse<InputStream> open(String token) throws Exception {
    return Asked.client()
        .send(
            asked.request(
                "GET", BILLING + "/stream?token=" + token, "", "Accept", "text/event-stream"),
            HttpResponse.BodyHandlers.ofInputStream());
  }

  private void shouldRefuse(String method, String path) {
    Asked.Reply refused = asked.send(method, path, "");
    assertThat(refused.status()).as(path).isEqualTo(401);
    assertThat(refused.body()).doesNotContain("token=");
    assertThat(delivered()).as(path).isZero();
  }

  private int delivered() {
    return with(admin, "GET", BILLING, "").json().at("/stats/delivered").asInt();
  }

  private static String first(HttpResponse<InputStream> stream) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
    String line = lines.readLine();
    while (!line.startsWith("data: ")) {
      line = lines.readLine();
    }
    return line;
  }

  @Test
  void shouldOpenOneStreamWithoutAKey() throws Exception {
    String token = token();
    HttpResponse<InputStream> stream = open(token);
    assertThat(stream.statusCode()).isEqualTo(200);
    assertThat(stream.headers().firstValue("Content-Type")).contains("text/event-stream");
    assertThat(first(stream)).contains("\"data\":\"order 0\"");
    assertThat(asked.get(BILLING + "/stream?token=" + token).status()).isEqualTo(401);
    stream.body().close();
  }

  @Test
  void shouldOpenNothingAfterAMinute() throws Exception {
    String last = token();
    time.advance(Duration.ofSeconds(59));
    HttpResponse<InputStream> stream = open(last);
    assertThat(first(stream)).contains("order 0");
    stream.body().close();
    String late = token();
    time.advance(Duration.ofSeconds(60));
    String get = "GET " + BILLING + "/stream?token=" + late + " HTTP/1.1";
    String refused = asked.raw(Asked.head(get, "Host: localhost", "Connection: close"));
    assertThat(refused).startsWith("HTTP/1.1 401 ").contains("has expired");
  }

  @Test
  void shouldOpenNothingElse() {
    shouldRefuse("GET", BILLING + "/stream");
    shouldRefuse("GET", BILLING + "/stream?token=" + "A".repeat(43));
    shouldRefuse("GET", BILLING + "/stream?token=" + token() + "&token=" + token());
    shouldRefuse("GET", "/v1/queues/prices/subscribers/billing/stream?token=" + token());
    shouldRefuse("GET", BILLING + "-of-eu/stream?token=" + token());
    shouldRefuse("POST", BILLING + "/stream?token=" + token());
    shouldRefuse("POST", BILLING + "/deliveries?token=" + token());
    shouldRefuse("GET", BILLING + "/peek?token=" + token());
    shouldRefuse("GET", BILLING + "?token=" + token());
    shouldRefuse("GET", "/v1/figures/stream?token=" + token());
    Asked.Reply asKey = with(token(), "POST", BILLING + "/stream", "");
    assertThat(asKey.status()).isEqualTo(401);
    Asked.Reply byKey = with(admin, "GET", BILLING + "/stream", ""); // which changes nothing
    assertThat(byKey.status()).isEqualTo(401);
    assertThat(asked.send("HEAD", BILLING + "/stream?token=" + token(), "").status())
        .isEqualTo(200);
    assertThat(delivered()).isZero();
  }

  @Test
  void shouldBeMadeOnlyByThoseWhoMayConsumeWhatThereIs() {
    assertThat(with(publisher, "POST", TOKENS, "").status()).isEqualTo(403);
    assertThat(asked.post(TOKENS, "").status()).isEqualTo(401);
    String none = "/v1/queues/orders/subscribers/none/stream-tokens";
    assertThat(with(consumer, "POST", none, "").status()).isEqualTo(404);
    assertThat(with(admin, "POST", none + "?create=false", "").status()).isEqualTo(404);
    assertThat(with(admin, "POST", none, "").status()).isEqualTo(201);
  }

  @Test
  void shouldWaitForTheUseOfAThousandOfOneKeyAndOfNoOther() throws Exception {
    String first = token();
    for (int i = 1; i < 1_000; i++) {
      assertThat(with(consumer, "POST", TOKENS, "").status()).isEqualTo(201);
    }
    Asked.Reply refused = with(consumer, "POST", TOKENS, "");
    assertThat(refused.problem()).isEqualTo("too-many-requests");
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(with(admin, "POST", TOKENS, "").status()).isEqualTo(201);

    open(first).body().close();
    token(); // in its place
    assertThat(with(consumer, "POST", TOKENS, "").status()).isEqualTo(429);
    time.advance(Duration.ofSeconds(60));
    token();
  }

  @Test
  void shouldHaveTheRightsOfItsKeyAsLongAsThatHasThem() throws Exception {
    String token = token();
    HttpResponse<InputStream> stream = open(token());
    assertThat(first(stream)).contains("order 0");
    file.revoke("consumer");
    assertThat(new String(stream.body().readAllBytes(), StandardCharsets.UTF_8)).isBlank();
    assertThat(asked.get(BILLING + "/stream?token=" + token).status()).isEqualTo(401);
  }

  @Test
  void shouldBeInNoLog() throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger river = (Logger) LoggerFactory.getLogger("com.wookler.river");
    Logger audit = (Logger) LoggerFactory.getLogger("river.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    root.addAppender(lines);
    String token = token();
    String other = token();
    try {
      river.setLevel(Level.TRACE);
      audit.setLevel(Level.TRACE);
      open(token).body().close();
      asked.delete("/v1/queues/orders?token=" + other);
      await().until(() -> logged(lines).stream().anyMatch(line -> line.contains("method=DELETE")));
      stop();
    } finally {
      river.setLevel(null);
      audit.setLevel(null);
      root.detachAppender(lines);
    }
    assertThat(logged(lines))
        .anyMatch(line -> line.contains("key=\"consumer\"") && line.contains("/stream\""))
        .noneMatch(line -> line.contains(token) || line.contains(other));
  }

  private static List<String> logged(ListAppender<ILoggingEvent> lines) {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void shouldKeepATokenThatAHeadHasShown() {
    String path = BILLING + "/stream?token=" + token();
    for (int i = 0; i < 3; i++) {
      assertThat(asked.send("HEAD", path, "").status()).isEqualTo(200);
    }
    assertThat(asked.send("HEAD", BILLING + "/stream?token=none", "").status()).isEqualTo(401);
  }
}
