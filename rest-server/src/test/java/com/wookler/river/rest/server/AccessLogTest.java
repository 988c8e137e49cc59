package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** What is logged of a request when it is over. */
@Timeout(120)
class AccessLogTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final int LARGE = 1 << 20;
  private static final int LETTERS = 8;

  private final Logger logger = (Logger) LoggerFactory.getLogger("com.wookler.river.rest.access");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    logger.setLevel(Level.INFO);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private String logged(String path) {
    String part = "path=\"" + path + "\"";
    await().until(() -> all().stream().anyMatch(line -> line.contains(part)));
    return all().stream().filter(line -> line.contains(part)).findFirst().orElseThrow();
  }

  private List<String> all() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** Asks, reads so many bytes of the answer, and leaves without a word. */
  private void askAndLeave(String line, int bytes) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4_096);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      String head = Asked.head(line + " HTTP/1.1", "Host: localhost", "Content-Length: 0");
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readNBytes(bytes)).hasSize(bytes);
      if (bytes == 0) {
        await().until(() -> server.waiting() == 1);
      }
      socket.setSoLinger(true, 0);
    }
  }

  @Test
  void shouldSayWhatBecameOfARequest() {
    asked.get(ORDERS);
    assertThat(logged(ORDERS)).contains("method=\"GET\"", "status=200 problem=- ");
    asked.get("/v1/queues/none");
    assertThat(logged("/v1/queues/none")).contains("status=404 problem=not-found ");
    asked.raw("GET /v1/\u0000 HTTP/1.1\r\n\r\n");
    await().until(() -> all().stream().anyMatch(line -> line.contains("status=400")));
  }

  @Test
  void shouldSayThatAnAnswerWasCutOff() throws IOException {
    for (int i = 0; i < LETTERS; i++) {
      asked.post(ORDERS + "/messages", "x".repeat(LARGE - 1));
    }
    askAndLeave("GET " + BILLING + "/peek?max=" + LETTERS, 100);
    assertThat(logged(BILLING + "/peek")).contains("status=200 problem=cut-off ");
    assertThat(asked.get(BILLING + "/peek?max=8").body()).hasSizeGreaterThan(LARGE);
    await().until(() -> all().stream().anyMatch(this::isWholePeek));
  }

  private boolean isWholePeek(String line) {
    return line.contains("/peek\"") && line.contains("status=200 problem=- ");
  }

  @Test
  void shouldSayThatAClientLeftBeforeItsAnswer() throws IOException {
    askAndLeave("POST " + BILLING + "/deliveries?wait=60s", 0);
    assertThat(logged(BILLING + "/deliveries")).contains("status=- problem=disconnected ");
  }

  @Test
  void shouldTellWhoEndedAStream() throws IOException {
    askAndLeave("POST " + BILLING + "/stream", 20);
    assertThat(logged(BILLING + "/stream")).contains("status=200 problem=cut-off ");
    lines.list.clear();
    var stream =
        Asked.client()
            .sendAsync(
                asked.request("POST", BILLING + "/stream", ""),
                HttpResponse.BodyHandlers.ofString());
    await().until(() -> server.streams() == 1);
    server.close();
    stream.join();
    assertThat(logged(BILLING + "/stream")).contains("status=200 problem=- ");
  }
}
