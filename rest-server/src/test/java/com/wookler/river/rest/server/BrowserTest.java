package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Pages of other sites attack a server without keys, in Chromium: skipped where there is none. The
 * page tries everything by itself and reports to the site that it comes from.
 */
@Timeout(180)
@Tag("full")
class BrowserTest extends ServerFixture {
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  private final Queue<String> reports = new ConcurrentLinkedQueue<>();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private HttpServer site;
  private HttpServer control;
  private Process browser;

  @BeforeEach
  void open() throws IOException {
    control = listening();
    control.createContext("/", this::record);
    control.start();
    site = listening();
    site.createContext("/report", this::report);
    site.createContext("/redirect", this::redirect);
    site.createContext("/", this::page);
    site.start();
    asked.put("/v1/queues/orders", "");
    asked.put(BILLING, "");
    for (int i = 0; i < 3; i++) {
      asked.post("/v1/queues/orders/messages", "order " + i);
    }
  }

  private static HttpServer listening() throws IOException {
    return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @AfterEach
  void close() {
    site.stop(0);
    control.stop(0);
    if (browser != null) {
      List<ProcessHandle> all = new ArrayList<>(browser.descendants().toList());
      all.add(browser.toHandle());
      all.forEach(ProcessHandle::destroyForcibly);
      all.forEach(each -> each.onExit().join());
    }
  }

  private void page(HttpExchange exchange) {
    try {
      String page =
          new String(
              Objects.requireNonNull(getClass().getResourceAsStream("/attack.html")).readAllBytes(),
              UTF_8);
      answer(exchange, 200, page.replace("BASES", bases()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The server by all its names and by another's, and one that shows what a browser sends. */
  private String bases() {
    List<String> hosts =
        List.of(
            "127.0.0.1:" + server.port(),
            "localhost:" + server.port(),
            "attacker.example:" + server.port(),
            "127.0.0.1:" + control.getAddress().getPort());
    return hosts.stream().map(host -> "\"http://" + host + "\"").toList().toString();
  }

  private void record(HttpExchange exchange) throws IOException {
    sent.add(
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestHeaders().getFirst("Sec-Fetch-Dest")
            + " "
            + exchange.getRequestHeaders().getFirst("Sec-Fetch-Mode"));
    answer(exchange, 200, "");
  }

  /** Sends the browser on to the server, with the method that it came with. */
  private void redirect(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Location", asked.uri(exchange.getRequestURI().getQuery()));
    answer(exchange, 307, "");
  }

  private void report(HttpExchange exchange) throws IOException {
    reports.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    answer(exchange, 200, "");
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  /** Opens a page, and returns what it reports when it has tried everything. */
  private String visit(String url) throws IOException {
    Path chromium = Chromium.path();
    browser =
        new ProcessBuilder(
                chromium.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--user-data-dir=" + directory.resolve("browser"),
                "--host-resolver-rules=MAP attacker.example 127.0.0.1",
                url)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("browser.log").toFile())
            .start();
    await().until(() -> !reports.isEmpty());
    return reports.element();
  }

  private void assertUntouched() {
    assertThat(asked.get(BILLING).json().at("/stats/delivered").asInt()).isZero();
    assertThat(asked.get(BILLING).json().at("/stats/lag").asInt()).isEqualTo(3);
    assertThat(asked.get("/v1/queues").json().get("queues")).hasSize(1);
    assertThat(asked.get("/v1/queues/orders").json().at("/stats/nextSequence").asInt())
        .isEqualTo(3);
    assertThat(asked.get("/v1/queues/orders/subscribers").json().get("subscribers")).hasSize(1);
  }

  /** What does not arrive at the server that records it proves nothing about the other. */
  private void assertAttacked(String report) {
    assertThat(report).endsWith("tried").doesNotContain("READ");
    assertThat(sent)
        .contains(
            "GET image no-cors",
            "GET script no-cors",
            "GET style no-cors",
            "GET iframe navigate",
            "GET empty no-cors",
            "GET empty cors",
            "POST empty no-cors",
            "POST empty cors",
            "POST iframe navigate",
            "GET null null"); // of a web socket, which sends its origin
  }

  /** Images, scripts, forms, fetch in all modes, events, web sockets, beacons, redirects. */
  @Test
  void shouldTellAndGiveNothingToAPageOfAnotherSite() throws Exception {
    assertAttacked(visit("http://attacker.example:" + site.getAddress().getPort() + "/"));
    assertUntouched();
  }

  /** Another port of the same host is the same site, but not the same origin. */
  @Test
  void shouldTellAndGiveNothingToAPageOfAnotherPort() throws Exception {
    assertAttacked(visit("http://127.0.0.1:" + site.getAddress().getPort() + "/"));
    assertUntouched();
  }
}
