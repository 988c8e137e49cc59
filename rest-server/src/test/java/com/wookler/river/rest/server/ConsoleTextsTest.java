package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the console says of what there is not, and of one. */
class ConsoleTextsTest extends ConsoleFixture {
  @TempDir Path directory;
  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldSayThatThereIsNoSuchQueue() {
    open(server.port(), "#/queues/nope");
    see("There is no such queue.");
    assertThat(button("Delete queue…").count()).isZero();
    assertThat(button("Create subscriber…").count()).isZero();
    assertAccessible("no such queue");
  }

  @Test
  void shouldSayThatThereIsNoSuchPage() {
    open(server.port(), "#/bogus");
    see("There is no such page.");
    page.getByText("All queues").click();
    PlaywrightAssertions.assertThat(page.locator("main")).containsText("Create queue…");
  }

  @Test
  void shouldSkipOneMessage() {
    asked.put("/v1/queues/orders", "");
    asked.put("/v1/queues/orders/subscribers/billing", "");
    asked.post("/v1/queues/orders/messages", "x");
    open(server.port(), "#/queues/orders/subscribers/billing");
    button("Purge…").click();
    see("1 message will be skipped, as if completed.");
    field("Type billing to confirm").fill("billing");
    submit("Skip all").click();
    see("Skipped 1 message.");
  }

  @Test
  void shouldSayWhatAStatusRefuses() {
    asked.put("/v1/queues/orders", "");
    open(server.port(), "#/queues/orders");
    button("Status…").click();
    see("read-only refuses publishes; quiescent delivers nothing either");
  }
}
