package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.rest.server.hosting.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands before all routes. */
@Timeout(120)
class FrontTest {
  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory.resolve("data")).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String get(String target, String... headers) {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return asked.raw(
        "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "Connection: close\r\n\r\n");
  }

  @Test
  void shouldSayWhichMethodsThereAre() {
    Asked.Reply reply = asked.send("POST", "/v1/queues/orders", "{}");

    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.header("Allow")).isEqualTo("DELETE, GET, HEAD, PATCH, PUT");
    assertThat(asked.send("OPTIONS", "/v1/queues", "").header("Allow")).isEqualTo("GET, HEAD");
    assertThat(asked.send("TRACE", "/v1/queues", "").status()).isEqualTo(405);
    assertThat(asked.send("GET", "/v1/queues/a/subscribers/b/ack", "").header("Allow"))
        .isEqualTo("POST");
    assertThat(asked.send("WHAT", "/v1/queues", "").status()).isEqualTo(405);
  }

  @Test
  void shouldAnswerHeadAsGetWithoutTheBody() {
    asked.put("/v1/queues/orders", "");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post("/v1/queues/orders/messages", "a");
    for (Contract.Operation operation : new Contract().operations()) {
      boolean endless = operation.path().endsWith("/stream");
      if (operation.method().equals("GET") && !endless && !operation.path().contains("{redrive}")) {
        String path =
            operation
                    .path()
                    .replace("{queue}", "orders")
                    .replace("{subscriber}", "billing")
                    .replace("{sequence}", "0")
                    .replace("{file}", "app.js")
                + (operation.path().endsWith("/messages") ? "?from=0" : "");
        Asked.Reply get = asked.get(path);
        Asked.Reply head = asked.send("HEAD", path, "");

        assertThat(head.status()).as(path).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.header("Content-Type")).isEqualTo(get.header("Content-Type"));
        assertThat(head.header("Content-Length")).as(path).isNotEmpty();
        if (!hasFigures(path)) {
          assertThat(head.header("Content-Length")).isEqualTo(get.header("Content-Length"));
        }
      }
    }
    assertThat(asked.send("HEAD", "/v1/queues/none", "").status()).isEqualTo(404);
    assertThat(asked.send("HEAD", "/v1/queues/orders/publish", "").status()).isEqualTo(405);
  }

  /** Whether the body differs from one request to the next. */
  private static boolean hasFigures(String path) {
    return path.equals("/metrics")
        || path.equals("/v1/figures")
        || (path.startsWith("/v1/queues") && !path.contains("/messages"));
  }

  @Test
  void shouldKnowNoOtherPaths() {
    for (String path :
        List.of(
            "//",
            "/v1",
            "/v1/",
            "//v1/queues",
            "/V1/queues",
            "/v1/queues/a/b",
            "/v1/queues/../queues",
            "/console",
            "/v1/queues/a/subscribers/b/dead/c/d")) {
      assertThat(asked.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        "%2e%2e",
        "%2E%2e%2fetc",
        "..%2f..%2fetc%2fpasswd",
        "%252e%252e%252f",
        "%00",
        "a%00b",
        "a%2fb",
        "a%5cb",
        "..%5c..%5c",
        "%c0%ae%c0%ae%c0%af",
        "%e0%80%ae",
        "%ff",
        ".hidden",
        "-a",
        ".server",
        "a%20b",
        "a%0d%0ab",
        "a%1b[31m",
        "%zz",
        "%",
        "%4",
        "a.dead",
        "a.discarded-1",
        "%EF%BC%8E%EF%BC%8E",
        "orders%2e%2e%2f",
        "\u00e9"
      })
  void shouldLetNoNameLeaveTheDirectory(String name) throws IOException {
    String put =
        asked.raw(
            "PUT /v1/queues/"
                + name
                + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assertThat(put).containsPattern("^HTTP/1.1 (400|404|405) ");
    String post =
        asked.raw(
            "POST /v1/queues/"
                + name
                + "/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                + "Connection: close\r\n\r\nx");
    assertThat(post).containsPattern("^HTTP/1.1 (400|404) ");
    String subscriber =
        asked.raw(
            "POST /v1/queues/orders/subscribers/"
                + name
                + "/deliveries?create=true HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n");
    assertThat(subscriber).containsPattern("^HTTP/1.1 (400|404) ");
    try (Stream<Path> all = Files.walk(directory, 2)) {
      assertThat(
              all.filter(path -> !path.equals(directory))
                  .map(Path::getFileName)
                  .map(Path::toString))
          .isSubsetOf("data", "orders", ".server");
    }
  }

  @Test
  void shouldSayThatARequestIsTooLong() {
    assertThat(get("/v1/queues?x=" + "x".repeat(17_000)))
        .containsPattern("^HTTP/1.[01] 414 ")
        .contains("application/problem+json", "urn:river:problem:uri-too-long");
    assertThat(get("/v1/queues", "X-Large: " + "x".repeat(17_000)))
        .containsPattern("^HTTP/1.[01] 431 ")
        .contains("application/problem+json", "urn:river:problem:headers-too-large");
    assertThat(asked.raw("what is this\r\n\r\n")).containsPattern("^HTTP/1.[01] 400 ");
    assertThat(get("/v1/queues/a", "Content-Length: x")).containsPattern("^HTTP/1.[01] 400 ");
    assertThat(get("/v1/queues/a", "Content-Length: -1")).containsPattern("^HTTP/1.[01] 400 ");
    assertThat(
            asked.raw(
                Asked.head(
                    "POST /v1/queues/a/messages HTTP/1.1",
                    "Host: localhost",
                    "Content-Length: 99999999999999999999")))
        .containsPattern("^HTTP/1.[01] (400|413) ");
  }

  @Test
  void shouldHardenEveryAnswer() {
    for (Asked.Reply reply : List.of(asked.get("/health/live"), asked.get("/none"))) {
      assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(reply.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(reply.header("Content-Security-Policy")).isEqualTo("default-src 'self'");
      assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
      assertThat(reply.http().headers().map().keySet())
          .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
    }
  }

  /** Wikis and mails link to the console; frames, fetches, forms and all that has data do not. */
  @Test
  void shouldFollowLinksOfOtherSitesToTheConsoleOnly() {
    String page = "Sec-Fetch-Dest: document";
    String link = "Sec-Fetch-Mode: navigate";
    for (String site : List.of("Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site")) {
      assertThat(get("/", site, link, page)).startsWith("HTTP/1.1 200 ");
      for (String path : List.of("/v1/queues", "/metrics", "/console/app.js")) {
        assertThat(get(path, site, link, page)).as(path).startsWith("HTTP/1.1 403 ");
      }
      assertThat(get("/", site, link, "Sec-Fetch-Dest: iframe")).startsWith("HTTP/1.1 403 ");
      assertThat(get("/", site, link)).startsWith("HTTP/1.1 403 ");
      assertThat(get("/", site, link, page, page)).startsWith("HTTP/1.1 403 ");
      assertThat(get("/", site, "Sec-Fetch-Mode: no-cors", page)).startsWith("HTTP/1.1 403 ");
      assertThat(get("/", site, link, page, "Origin: http://wiki.example"))
          .startsWith("HTTP/1.1 403 ");
    }
  }

  /** As docs/rest.md says: before River sees a request. */
  @Test
  void shouldRefuseVersionsOfHttpThatItDoesNotSpeak() {
    for (String version : List.of("HTTP/1.2", "HTTP/2.0")) {
      assertThat(asked.raw(Asked.head("GET / " + version, "Host: localhost")))
          .matches("(?s)HTTP/[12][.][0-9] 501 .*\r\n\r\n");
    }
  }

  @Test
  void shouldAnswerToItsOwnNamesOnly() {
    for (String host :
        List.of("localhost", "127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:1")) {
      assertThat(hosted(host)).as(host).startsWith("HTTP/1.1 200 ");
    }
    for (String host :
        List.of(
            "attacker.example", "localhost.attacker.example", "127.0.0.1.nip.io", "[x]", "a b")) {
      assertThat(hosted(host)).as(host).containsPattern("^HTTP/1.1 (421|400) ");
    }
    assertThat(asked.raw(Asked.head("GET /v1/queues HTTP/1.1", "Connection: close")))
        .containsPattern("^HTTP/1.1 (421|400) ");
  }

  private String hosted(String host) {
    return asked.raw("GET /v1/queues HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

  @Test
  void shouldRefuseWhatOtherSitesSend() {
    assertThat(get("/v1/queues", "Origin: http://attacker.example")).startsWith("HTTP/1.1 403 ");
    assertThat(get("/v1/queues", "Origin: null")).startsWith("HTTP/1.1 403 ");
    assertThat(get("/v1/queues", "Origin: https://localhost")).startsWith("HTTP/1.1 403 ");
    assertThat(get("/v1/queues", "Origin: http://localhost:81")).startsWith("HTTP/1.1 403 ");
    assertThat(get("/v1/queues", "Origin: http://localhost")).startsWith("HTTP/1.1 200 ");
    for (String site : List.of("cross-site", "same-site", "", "Same-Origin", "x")) {
      assertThat(get("/v1/queues", "Sec-Fetch-Site: " + site)).as(site).startsWith("HTTP/1.1 403 ");
    }
    assertThat(get("/v1/queues", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"))
        .startsWith("HTTP/1.1 403 ");
    for (String site : List.of("same-origin", "none")) {
      assertThat(get("/v1/queues", "Sec-Fetch-Site: " + site)).startsWith("HTTP/1.1 200 ");
    }
  }

  /** Both may be on another volume, behind a link of the administrator's. */
  @Test
  void shouldServeADirectoryAndKeysBehindALink() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    String key =
        new KeyFile(link.resolve("keys.json"))
            .add("all", List.of(), List.of(), List.of("*"), List.of())
            .text();
    Path keys = Files.createSymbolicLink(directory.resolve("keys"), real.resolve("keys.json"));
    for (int sequence = 0; sequence < 2; sequence++) {
      try (RiverServer linked =
          RiverServer.builder().port(0).directory(link.resolve("data")).keys(keys).start()) {
        Asked.Reply reply =
            new Asked(linked)
                .send("POST", "/v1/queues/orders/messages", "x", "Authorization", "Bearer " + key);
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.json().get("sequence").asInt()).isEqualTo(sequence);
        assertThatThrownBy(() -> builder(real.resolve("data")).start())
            .isInstanceOf(QueueLockedException.class); // the same queues by another name
      }
    }
    assertThat(real.resolve("data").resolve("orders")).isDirectory();
  }

  private static RiverServer.Builder builder(Path data) {
    return RiverServer.builder().port(0).directory(data);
  }

  /** Fails as nobody expects it to. */
  private static final class Broken implements MessageConverter<byte[]> {
    @Override
    public byte[] toBytes(byte[] data) {
      return data;
    }

    @Override
    public byte[] fromBytes(byte[] bytes) {
      throw new AssertionError("secret");
    }
  }

  @Test
  void shouldTellNothingOfWhatItDidNotExpect() {
    MessageConverter<byte[]> broken = new Broken();
    try (MessageQueue<byte[]> queue =
            MessageQueue.builder("own", broken).directory(directory.resolve("own")).open();
        RiverServer own = builder(directory.resolve("none")).queue(queue, broken).start()) {
      Asked.Reply reply = new Asked(own).post("/v1/queues/own/messages", "x");

      assertThat(reply.status()).isEqualTo(500);
      assertThat(reply.problem()).isEqualTo("internal");
      assertThat(reply.body()).doesNotContain("secret", "AssertionError", ".java", "wookler");
    }
  }

  @Test
  void shouldTellItsHealthAndNoMore() {
    assertThat(asked.get("/health/live").body()).isEqualTo("{\"status\":\"up\"}");
    assertThat(asked.get("/health/ready").body()).isEqualTo("{\"status\":\"up\"}");
  }

  @Test
  void shouldAskForABodyThatWaitsToBeAsked() {
    String answer =
        asked.raw(
            Asked.head(
                    "POST /v1/queues/a/messages HTTP/1.1",
                    "Host: localhost",
                    "Expect: 100-continue",
                    "Content-Length: 1",
                    "Connection: close")
                + "x");
    assertThat(answer).startsWith("HTTP/1.1 100 Continue").contains("HTTP/1.1 201 ");
    assertThat(
            asked.raw(
                Asked.head(
                    "POST /v1/queues/a/messages HTTP/1.1",
                    "Host: localhost",
                    "Expect: 100-continue",
                    "Content-Length: 2000000",
                    "Connection: close")))
        .startsWith("HTTP/1.1 413 ");
  }
}
