package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.hosting.KeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/rest.md has for pages, in a real Chromium. */
class EventSourceTest extends ConsoleFixture {
  private static final List<String> NONE = List.of();
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";

  @TempDir Path directory;
  private KeyFile file;
  private String admin;
  private String consumer;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    file = new KeyFile(directory.resolve("keys.json"));
    admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    consumer = file.add("page", NONE, List.of("orders"), NONE, NONE).text();
    startAt(0);
    with("PUT", "/v1/queues/orders", "");
    with("PUT", BILLING, "");
  }

  private void startAt(int port) {
    server =
        RiverServer.builder()
            .port(port)
            .directory(directory.resolve("data"))
            .keys(file.path())
            .start();
    asked = new Asked(server);
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

  private String recipe() throws IOException {
    Matcher block =
        Pattern.compile("(?s)```js\n(.*?)```")
            .matcher(Files.readString(Path.of("../docs/rest.md")));
    assertThat(block.find()).isTrue();
    return block
        .group(1)
        .replace("river_…", consumer)
        .replace("console.log(delivery.data)", "window.shown.push(delivery.data)");
  }

  private List<?> shown() {
    return (List<?>) page.evaluate("() => window.shown");
  }

  private int lag() {
    return with("GET", BILLING, "").json().at("/stats/lag").asInt();
  }

  @Test
  void shouldListenAndAcknowledgeAlsoAfterTheServerWasRestarted() throws Exception {
    open(server.port(), "");
    page.evaluate("window.shown = []; " + recipe());
    with("POST", "/v1/queues/orders/messages", "before");
    await().until(() -> shown().equals(List.of("before")));
    await().until(() -> lag() == 0);

    int port = server.port();
    server.close();
    startAt(port);
    with("POST", "/v1/queues/orders/messages", "after");
    await().until(() -> shown().equals(List.of("before", "after")));
    await().until(() -> lag() == 0);
  }

  @Test
  void shouldEndWhereTheKeyIsUnknown() throws Exception {
    open(server.port(), "");
    String listen = recipe().replaceFirst("(?s)listen\\(\"/v1.*", "");
    String call = "listen('%s', 'river_none', () => {})".formatted(BILLING);
    Object end =
        page.evaluate("() => { " + listen + " return " + call + ".then(() => 'again', String); }");
    assertThat(end).asString().contains("the key is unknown");
  }
}
