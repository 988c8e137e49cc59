package com.wookler.river.rest.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages that are searched and read in the console, in the log and where only a backup has them.
 */
class ConsoleMessagesTest extends ConsoleFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final int LARGE = 2 << 20;
  private static final int PREVIEW = 64 << 10;

  @TempDir Path directory;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("queues"))
            .backupDirectory(directory.resolve("backups"))
            .maxBodyBytes(16 << 20)
            .start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void publish(String data, String key) {
    asked.post(
        ORDERS + "/publish",
        "{\"data\":\"%s\",\"key\":\"%s\"}".formatted(data.replace("\"", "\\\""), key));
  }

  private void search(String by, String value) {
    page.getByLabel("Search by").selectOption(by);
    page.getByLabel("Sequence, time or key").fill(value);
    button("Search").click();
  }

  private void match(String expression) {
    page.getByLabel("Search by").selectOption("last");
    page.getByLabel("Only messages that match the expression").fill(expression);
    button("Search").click();
  }

  @Test
  void shouldSearchByKeyAndByExpression() {
    asked.put(ORDERS, "{\"keyIndex\":true}");
    for (int i = 0; i < 60; i++) {
      publish("{\"order\":%d,\"amount\":%d}".formatted(i, i * 10), i % 2 == 0 ? "eü" : "us");
    }
    open(server.port(), "#/queues/orders/messages");
    see("25 messages; this is the end");
    Locator messages = page.locator("summary");
    assertThat(messages.first()).containsText("{\"order\":35,");

    search("key", "eü");
    see("25 messages; the next page begins with sequence 49");
    assertThat(messages.first()).containsText("eü · {\"order\":0,");
    assertThat(messages.last()).containsText("eü · {\"order\":48,");
    button("Next page").click();
    see("5 messages; this is the end");
    assertThat(messages.last()).containsText("eü · {\"order\":58,");
    page.reload(); // the address has what is searched
    see("25 messages; the next page begins with sequence 49");
    search("key", "none");
    see("0 messages; this is the end");

    match("json.amount >= 550 && key == 'us'");
    see("3 messages; this is the end");
    assertThat(messages.first()).containsText("us · {\"order\":55,");
    asked.put("/v1/queues/plain", "");
    open(server.port(), "#/queues/plain/messages");
    search("key", "eü");
    see("has no index of keys");
    open(server.port(), "#/queues/orders/messages");
    match("json.amount >=");
    see("filter");
    assertThat(messages).hasCount(0);
  }

  /** Completes all and waits until blocks are recycled: the log has the last of eleven alone. */
  private void archive() {
    asked.post(ORDERS + "/subscribers/billing/seek", "{\"to\":\"LATEST\"}");
    await().until(() -> asked.get(ORDERS).json().at("/stats/firstSequence").asInt() == 10);
    assertThat(asked.get(ORDERS + "/blocks?max=100").json().findValuesAsText("state"))
        .containsOnlyOnce("ACTIVE")
        .contains("ARCHIVED")
        .doesNotContain("CLOSED");
  }

  private void publishBytes(byte[] data) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(asked.uri(ORDERS + "/messages")))
            .POST(HttpRequest.BodyPublishers.ofByteArray(data))
            .build();
    int status =
        Asked.client()
            .sendAsync(request, HttpResponse.BodyHandlers.discarding())
            .join()
            .statusCode();
    assertThat(status).isEqualTo(201);
  }

  private static byte[] random(int length) {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    data[0] = -1; // which is no text
    return data;
  }

  private static String lastRow(int length) {
    return "%06x  ".formatted((length - 1) / 16 * 16);
  }

  private String data(int message) {
    page.locator("summary").nth(message).click();
    return page.locator("details").nth(message).locator("pre").textContent();
  }

  private Path download(int message) {
    Download saved =
        page.waitForDownload(
            () ->
                page.locator("details")
                    .nth(message)
                    .locator("button", hasText("Download"))
                    .click());
    return saved.path();
  }

  private static Locator.LocatorOptions hasText(String text) {
    return new Locator.LocatorOptions().setHasText(text);
  }

  @Test
  void shouldShowSearchAndSaveMessagesThatOnlyABackupHas() throws Exception {
    byte[] large = random(LARGE);
    byte[] small = random(10_000);
    asked.put(
        ORDERS,
        "{\"keyIndex\":true,\"recycle\":{\"messages\":5},\"backup\":{\"retention\":\"0s\"}}");
    asked.put(ORDERS + "/subscribers/billing", "");
    publish("{\"amount\":7}", "eü");
    publishBytes(new byte[] {0, 1, -1, 'A'});
    publishBytes(large);
    publishBytes(small);
    asked.post(ORDERS + "/messages", "x".repeat(LARGE));
    for (int i = 5; i <= 10; i++) {
      asked.post(ORDERS + "/messages", "{\"amount\":" + i + "}");
    }
    archive();
    open(server.port(), "#/queues/orders/messages");
    see("11 messages; this is the end");
    Locator messages = page.locator("summary");
    assertThat(messages.nth(1)).containsText("binary, 4 B");
    assertThat(data(1)).isEqualTo("000000  00 01 ff 41" + " ".repeat(36) + "  ...A");
    assertThat(messages.nth(2)).containsText("binary, 2 MB");
    assertThat(data(2).lines().count()).isEqualTo(PREVIEW / 16);
    assertThat(page.locator("details").nth(2)).containsText("binary, cut after 64 KB of 2 MB");
    assertThat(Files.readAllBytes(download(2))).isEqualTo(large);
    assertThat(data(3)).as("all of what is not cut").contains(lastRow(small.length));
    assertThat(data(4)).hasSize(PREVIEW);
    assertThat(page.locator("details").nth(4)).containsText("cut after 64 KB of 2 MB");
    assertThat(download(4)).hasSize(LARGE);

    search("key", "eü");
    see("1 message; this is the end");
    assertThat(messages.first()).containsText("eü · {\"amount\":7}");
    match("json.amount == 7");
    see("2 messages; this is the end");
    page.getByLabel("Only messages that match the expression").fill("");
    search("from", "8");
    see("3 messages; this is the end");
    assertThat(messages.first()).containsText("{\"amount\":8}");
    search("at", "2020-01-01T00:00");
    see("11 messages; this is the end");
  }
}
