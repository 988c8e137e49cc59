package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What operators do is logged, what applications do is not. */
class AuditLogTest extends ServerFixture {
  private static final String ORDERS = "/v1/queues/orders";

  private final Logger logger = (Logger) LoggerFactory.getLogger("river.audit");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private List<String> logged() {
    return List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void shouldLogWhatOperatorsDoWithSettingsAndResult() {
    asked.put(ORDERS, "{\"maxMessages\":5}");
    asked.post(ORDERS + "/messages", "secret");
    asked.get(ORDERS);
    asked.post(ORDERS + "/trim?messages=1", "");
    asked.delete(ORDERS + "/messages/0");
    asked.delete("/v1/queues/none");
    asked.put(ORDERS + "/subscribers/billing", "");
    asked.delete(ORDERS + "/subscribers/billing/dead/7");
    asked.send("POST", ORDERS + "/messages", "secret", "Sec-Fetch-Site", "same-origin");

    await().until(() -> logged().size() == 7);
    assertThat(logged().get(0))
        .contains("key=\"\"", "method=PUT", "path=\"" + ORDERS + "\"", "status=201")
        .contains("body=\"{\\\"maxMessages\\\":5}\"");
    assertThat(logged().get(1)).contains("/trim", "query=\"messages=1\"", "status=200");
    assertThat(logged().get(2)).contains("method=DELETE", "/messages/0");
    assertThat(logged().get(3)).contains("status=404", "problem=not-found");
    assertThat(logged().get(5)).contains("method=DELETE", "/billing/dead/7", "status=404");
    assertThat(logged().get(6)).contains("method=POST", "/messages", "status=201");
    assertThat(logged()).noneMatch(line -> line.contains("secret"));
  }

  @Test
  void shouldNotSayThatAClientWasAnsweredThatHasLeft() throws IOException {
    try (Socket socket = asked.connect()) {
      String head =
          Asked.head("PUT " + ORDERS + " HTTP/1.1", "Host: localhost", "Content-Length: 9");
      socket.getOutputStream().write((head + "{}").getBytes(StandardCharsets.US_ASCII));
    }
    await().until(() -> logged().size() == 1);
    assertThat(logged().get(0)).contains("status=- problem=disconnected");
  }
}
