package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.KeyLimits;
import com.wookler.river.rest.server.http.AccessLog;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Who may do what. */
@Timeout(120)
class KeysTest {
  private static final List<String> NONE = List.of();
  private static final Set<String> OF_THE_WHOLE_SERVER = Set.of("/v1/reload", "/v1/keys");

  @TempDir Path directory;

  private final Contract contract = new Contract();
  private KeyFile file;
  private RiverServer server;
  private Asked asked;
  private String publisher;
  private String consumer;
  private String admin;
  private String others;

  @BeforeEach
  void start() {
    file = new KeyFile(directory.resolve("keys.json"));
    publisher = file.add("publisher", List.of("orders"), NONE, NONE, NONE).text();
    consumer = file.add("consumer", NONE, List.of("ord*"), NONE, NONE).text();
    admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    others = file.add("others", List.of("other"), List.of("other"), List.of("other"), NONE).text();
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("data"))
            .keys(directory.resolve("keys.json"))
            .start();
    asked = new Asked(server);
    with(admin, "PUT", "/v1/queues/orders", "");
    with(admin, "PUT", "/v1/queues/orders/subscribers/billing", "");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Asked.Reply with(String key, String method, String path, String body) {
    return asked.send(method, path, body, "Authorization", "Bearer " + key);
  }

  @Test
  void shouldListKeysWithoutTheirSecretsToAnAdminOfAll() throws Exception {
    String expired = "2026-01-01T00:00:00Z";
    file.add(
        "limited",
        List.of("eu-*"),
        NONE,
        NONE,
        NONE,
        new KeyLimits("2099-01-01T00:00:00Z", new KeyLimits.Rate(10, 20), null));
    file.add("old", List.of("orders"), NONE, NONE, NONE, new KeyLimits(expired, null, null));
    await().until(() -> with(admin, "GET", "/v1/keys", "").json().get("keys").size() == 6);
    Asked.Reply all = with(admin, "GET", "/v1/keys", "");
    assertThat(all.json().get("keys"))
        .extracting(each -> each.at("/access/key").asText())
        .containsExactly("admin", "consumer", "limited", "old", "others", "publisher");
    JsonNode limited = all.json().at("/keys/2/access");
    assertThat(limited.get("publish")).hasSize(1).first().hasToString("\"eu-*\"");
    assertThat(limited.get("limits"))
        .hasToString(
            "{\"expires\":\"2099-01-01T00:00:00Z\",\"requests\":{\"perSecond\":10,\"burst\":20}}");
    assertThat(all.json().at("/keys/3/access/publish")).isEmpty();
    assertThat(all.json().at("/keys/3/access/limits/expires").asText()).isEqualTo(expired);
    assertThat(all.json().at("/keys/0/access").has("limits")).isFalse();
    for (JsonNode key : Contract.json(Files.readString(file.path())).get("keys")) {
      assertThat(all.body())
          .contains(key.get("id").asText())
          .doesNotContain(key.get("salt").asText(), key.get("hash").asText());
    }
    assertThat(all.body()).doesNotContain(admin.substring(admin.lastIndexOf('_')));
    assertThat(with(others, "GET", "/v1/keys", "").status()).isEqualTo(403);
    assertThat(with(consumer, "GET", "/v1/access", "").json().get("key").asText())
        .isEqualTo("consumer");
  }

  /** Every route with every kind of key. */
  @Test
  void shouldLetEachKeyDoWhatItMayAndNoMore() {
    for (Contract.Operation operation : contract.operations()) {
      boolean endless = operation.path().equals("/v1/figures/stream");
      String method = endless ? "HEAD" : operation.method();
      String path =
          operation
              .path()
              .replace("{queue}", "orders")
              .replace("{subscriber}", "billing")
              .replace("{sequence}", "0")
              .replace("{file}", "app.js")
              .replaceAll("\\{\\w+}", "other"); // what else there may be, by its name
      String right = operation.right();
      boolean open = right.equals("none");
      boolean list =
          !operation.path().contains("{") && !OF_THE_WHOLE_SERVER.contains(operation.path());
      boolean reads = right.equals("consume") || right.equals("metrics");
      assertThat(asked.send(method, path, "").status()).as(path).isEqualTo(open ? 200 : 401);
      String wrong = admin.substring(0, admin.length() - 4) + "AAAA";
      assertThat(with(wrong, method, path, "").status()).isEqualTo(open ? 200 : 401);
      if (operation.query().contains("token")) { // instead of a key
        assertThat(with(admin, method, path, "").status()).as(path).isEqualTo(401);
        continue;
      }
      if (!open && !list) {
        assertThat(with(others, method, path, "").status()).as(path).isEqualTo(403);
      }
      assertAllowed(publisher, operation, path, open || list || right.equals("publish"));
      assertAllowed(consumer, operation, path, open || list || reads);
    }
    assertThat(with(publisher, "GET", "/v1/queues", "").json().get("queues")).isEmpty();
    assertThat(with(consumer, "GET", "/v1/queues", "").json().get("queues")).hasSize(1);
    assertThat(with(others, "DELETE", "/v1/queues/orders?force=true", "").status()).isEqualTo(403);
    assertThat(with(admin, "DELETE", "/v1/queues/orders?force=true", "").status()).isEqualTo(204);
  }

  private void assertAllowed(
      String key, Contract.Operation operation, String path, boolean allowed) {
    if (allowed && operation.path().endsWith("/stream")) {
      return; // never ends
    }
    int status = with(key, operation.method(), path, "").status();
    if (allowed) {
      assertThat(status).as(operation.toString()).isNotIn(401, 403);
    } else {
      assertThat(status).as(operation.toString()).isEqualTo(403);
    }
  }

  @Test
  void shouldKnowNoKeyThatIsWrong() {
    for (String header :
        List.of(
            "Bearer",
            "Bearer x",
            "Basic " + admin,
            admin,
            "Bearer " + admin + "x",
            "Bearer " + admin.substring(0, 19),
            "Bearer river_000000000000_" + admin.substring(19),
            "Bearer " + publisher.substring(0, 19) + admin.substring(19))) {
      Asked.Reply reply = asked.send("GET", "/v1/queues", "", "Authorization", header);
      assertThat(reply.status()).as(header).isEqualTo(401);
      assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
    }
    assertThat(asked.send("GET", "/v1/queues", "", "Authorization", "bearer  " + admin).status())
        .isEqualTo(200);
  }

  @Test
  void shouldMakeNothingForOneWhoMayOnlyPublishOrConsume() {
    String both = file.add("both", List.of("new"), List.of("new", "orders"), NONE, NONE).text();
    await().until(() -> with(both, "GET", "/v1/queues", "").status() == 200);

    assertThat(with(both, "POST", "/v1/queues/new/messages", "x").status()).isEqualTo(404);
    assertThat(
            with(both, "POST", "/v1/queues/orders/subscribers/new/deliveries?create=true", "")
                .status())
        .isEqualTo(404);
    assertThat(with(admin, "POST", "/v1/queues/new/messages", "x").status()).isEqualTo(201);
  }

  @Test
  void shouldNotPublishElsewhereByWayOfAnExpiryQueue() {
    String own = "{\"maxAge\":\"1s\",\"expiryQueue\":\"orders\"}";
    assertThat(with(others, "PUT", "/v1/queues/other", own).status()).isEqualTo(403);
    with(others, "PUT", "/v1/queues/other", "");
    assertThat(
            with(others, "PUT", "/v1/queues/other/subscribers/s", "{\"expiryQueue\":\"orders\"}")
                .status())
        .isEqualTo(403);
  }

  @Test
  void shouldTakeUpChangesWhileItWorks() throws Exception {
    assertThat(file.revoke("publisher")).isEqualTo(1);
    await().until(() -> with(publisher, "GET", "/v1/queues", "").status() == 401);
    Files.writeString(directory.resolve("keys.json"), "{");
    String still = with(admin, "GET", "/v1/queues", "").body();
    assertThat(still).contains("orders");
    Files.delete(directory.resolve("keys.json"));
    assertThat(with(admin, "GET", "/v1/queues", "").status()).isEqualTo(200);
  }

  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  private CompletableFuture<HttpResponse<String>> stream(String key) {
    return Asked.client()
        .sendAsync(
            asked.request("POST", BILLING + "/stream", "", "Authorization", "Bearer " + key),
            HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<Asked.Reply> poll(String key) {
    return asked.later(
        "POST", BILLING + "/deliveries?wait=60s", "", "Authorization", "Bearer " + key);
  }

  /** What was out on them is given back, and others go on. */
  @Test
  void shouldEndStreamsAndPollsOfAKeyThatIsRevoked() {
    with(admin, "POST", "/v1/queues/orders/messages", "x");
    var stream = stream(consumer);
    await().until(() -> with(admin, "GET", BILLING, "").json().at("/stats/inFlight").asInt() == 1);
    var poll = poll(consumer);
    var other = poll(admin);
    await().until(() -> server.waiting() == 3);
    assertThat(file.revoke("consumer")).isEqualTo(1);
    long revoked = System.nanoTime();

    assertThat(stream.join().body()).contains("\"sequence\":0");
    assertThat(poll.join().problem()).isEqualTo("unauthorized");
    assertThat(other.join().json().at("/0/sequence").asInt()).isZero(); // which was given back
    assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(10));
    assertThat(server.waiting()).isZero();
  }

  @Test
  void shouldEndStreamsAndPollsOfAKeyThatIsNarrowed() throws Exception {
    var stream = stream(consumer);
    var poll = poll(consumer);
    await().until(() -> server.waiting() == 2);
    Path path = directory.resolve("keys.json");
    Files.writeString(path, Files.readString(path).replace("ord*", "prices"));

    assertThat(stream.join().body()).isBlank();
    assertThat(poll.join().problem()).isEqualTo("forbidden");
  }

  /** A server of another user would not see that a key was revoked. */
  @Test
  void shouldLeaveTheFileToItsOwner() throws Exception {
    Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-r-----"));
    boolean isRoot = "root".equals(System.getProperty("user.name"));
    int owner = isRoot ? 10_001 : (int) Files.getAttribute(file.path(), "unix:uid");
    Files.setAttribute(file.path(), "unix:uid", owner);
    file.revoke("others");
    assertThat(Files.getAttribute(file.path(), "unix:uid")).isEqualTo(owner);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
        .isEqualTo("rw-r-----");
    assertThat(directory.resolve("keys.json.tmp")).doesNotExist();
  }

  @Test
  void shouldLeaveTheLockToTheFilesOwner() throws Exception {
    Path lock = directory.resolve("keys.json.lock");
    Files.delete(lock);
    Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-rw----"));
    boolean isRoot = "root".equals(System.getProperty("user.name"));
    int owner = isRoot ? 10_001 : (int) Files.getAttribute(file.path(), "unix:uid");
    Files.setAttribute(file.path(), "unix:uid", owner);
    file.revoke("others");
    assertThat(Files.getAttribute(lock, "unix:uid")).isEqualTo(owner);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
        .isEqualTo("rw-rw----");
  }

  /** The lock on the file excludes other processes only. */
  @Test
  void shouldKeepEveryKeyThatThreadsAddAtTheSameTime() throws Exception {
    int threads = 8;
    CyclicBarrier together = new CyclicBarrier(threads);
    List<CompletableFuture<String>> added = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int i = 0; i < threads; i++) {
        String name = "many-" + i;
        added.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    together.await();
                  } catch (InterruptedException | BrokenBarrierException e) {
                    throw new AssertionError(e);
                  }
                  Path path = directory.resolve("keys.json");
                  return new KeyFile(path).add(name, NONE, NONE, NONE, NONE).key().id();
                },
                pool));
      }
      List<String> ids = added.stream().map(CompletableFuture::join).toList();
      assertThat(file.keys()).extracting(KeyFile.Key::id).containsAll(ids).hasSize(threads + 4);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void shouldNotStartWithAFileThatIsNoneOfKeys() throws Exception {
    Path path = directory.resolve("keys.json");
    for (String content :
        List.of(
            "",
            "{",
            "[]",
            "{\"format\":\"x\",\"version\":1,\"keys\":[]}",
            "{\"format\":\"river-keys\",\"version\":2,\"keys\":[]}",
            "{\"format\":\"river-keys\",\"version\":1,\"keys\":[{\"id\":\"1\"}]}")) {
      Files.writeString(path, content);
      assertThatThrownBy(() -> new KeyFile(path).keys())
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("keys.json");
    }
    Files.delete(path);
    assertThatThrownBy(
            () ->
                RiverServer.builder().port(0).directory(directory.resolve("x")).keys(path).start())
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("river keys add");
  }

  @Test
  void shouldKeepSecretsOutOfLogsAndDisks() throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    root.addAppender(lines);
    try {
      ((Logger) LoggerFactory.getLogger("com.wookler.river")).setLevel(Level.TRACE);
      with(admin, "GET", "/v1/queues/orders", "");
      with(publisher, "GET", "/v1/queues/orders", "");
      asked.send("GET", "/v1/queues?key=" + admin, "", "Authorization", "Bearer x" + admin);
      stop();
    } finally {
      ((Logger) LoggerFactory.getLogger("com.wookler.river")).setLevel(null);
      root.setLevel(before);
      root.detachAppender(lines);
    }
    List<String> logged = lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(logged)
        .anyMatch(line -> line.contains("key=\"admin\"") && line.contains("status=200"));
    assertThat(logged).anyMatch(line -> line.contains("status=403"));
    for (String key : List.of(admin, publisher)) {
      assertThat(logged).noneMatch(line -> line.contains(key.substring(19)));
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.filter(Files::isRegularFile).toList()) {
          if (Files.size(each) < 1 << 20) {
            assertThat(new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1))
                .doesNotContain(key.substring(19));
          }
        }
      }
    }
  }

  @Test
  void shouldWriteNothingIntoTheLogThatMovesATerminal() {
    assertThat(AccessLog.quoted("a\r\nb\u001b[31m\"\\\u0000ü\u007f"))
        .isEqualTo("\"a\\u000d\\u000ab\\u001b[31m\\\"\\\\\\u0000\\u00fc\\u007f\"");
    assertThat(AccessLog.quoted("x".repeat(1_000))).hasSize(512 + 5);
  }
}
