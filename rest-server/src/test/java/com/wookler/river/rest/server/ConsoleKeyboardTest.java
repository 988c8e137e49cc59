package com.wookler.river.rest.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.hosting.KeyFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console by keyboard alone: nothing here clicks, fills or moves the focus by a script. Where
 * the focus is, it is visible after each key.
 */
class ConsoleKeyboardTest extends ConsoleFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final List<String> NONE = List.of();
  private static final int MOST_TABS = 80;

  /** The name of what has the focus, as a screen reader says it; empty where nothing has it. */
  private static final String FOCUSED =
      """
      () => {
        const at = document.activeElement;
        if (at === null || at === document.body) {
          return "";
        }
        return at.labels?.length > 0 ? at.labels[0].textContent : at.ariaLabel ?? at.textContent.trim();
      }
      """;

  /** What is wrong with how the focus is shown; empty where it can be seen. */
  private static final String HIDDEN_FOCUS =
      """
      () => {
        const at = document.activeElement;
        if (at === null || at === document.body) {
          return "";
        }
        const style = getComputedStyle(at);
        const box = at.getBoundingClientRect();
        const seen = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
        return at.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
            && style.outlineColor !== getComputedStyle(document.body).backgroundColor && seen && box.width > 0
          ? "" : at.outerHTML.slice(0, 120) + ": " + style.outline + ", " + JSON.stringify(box);
      }
      """;

  /** The first cell of the row that has the focus. */
  private static final String ROW =
      "() => document.activeElement.closest('tr')?.firstElementChild.textContent";

  private static final String IN_DIALOG =
      "() => document.querySelector('dialog').contains(document.activeElement)";

  @TempDir Path directory;
  private RiverServer server;
  private Asked asked;

  private void start(RiverServer.Builder builder) {
    server = builder.port(0).directory(directory.resolve("queues")).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void press(String key) {
    page.keyboard().press(key);
    assertThat(page.evaluate(HIDDEN_FOCUS)).as("the focus after " + key).isEqualTo("");
  }

  private String focused() {
    return (String) page.evaluate(FOCUSED);
  }

  /** Presses a key until what has this name has the focus. */
  private void reach(String key, String name) {
    for (int i = 0; i < MOST_TABS; i++) {
      if (focused().equals(name)) {
        return;
      }
      press(key);
    }
    assertThat(focused()).as("after " + MOST_TABS + " times " + key).isEqualTo(name);
  }

  private void reach(String name) {
    reach("Tab", name);
  }

  private void activate(String name) {
    reach(name);
    press("Enter");
  }

  private void openMessage(String title) {
    activate(title);
    assertThat(page.locator("pre")).isVisible();
  }

  /** Waits for plots, too, which move what is below them. */
  private void openPage(String hash) {
    open(server.port(), hash);
    page.reload();
    see("as of");
    if (hash.endsWith("orders") || hash.endsWith("billing")) {
      assertThat(page.locator(".uplot").last()).isVisible();
    }
  }

  private void type(String text) {
    page.keyboard().type(text);
  }

  private void seeDialog(boolean open) {
    assertThat(page.locator("dialog")).hasCount(open ? 1 : 0);
  }

  private void seeFocus(String name) {
    page.waitForCondition(() -> focused().equals(name));
    assertThat(page.evaluate(HIDDEN_FOCUS)).isEqualTo("");
  }

  @Test
  void shouldEnterTheKeyPublishPauseAndPurge() {
    String admin =
        new KeyFile(directory.resolve("keys.json"))
            .add("admin", NONE, NONE, List.of("*"), NONE)
            .text();
    start(RiverServer.builder().keys(directory.resolve("keys.json")));
    String bearer = "Bearer " + admin;
    asked.send("PUT", ORDERS, "", "Authorization", bearer);
    asked.send("PUT", BILLING, "", "Authorization", bearer);

    open(server.port(), "");
    see("This server has keys.");
    reach("API key");
    type(admin);
    press("Enter");
    see("1 queue");
    reach("Search queues");
    reach("Shift+Tab", "API key");
    activate("orders");
    activate("Messages");
    see("0 messages");
    activate("Publish…");
    seeDialog(true);
    seeFocus("What");
    press("ArrowDown"); // JSON
    press("Tab");
    assertThat(focused()).isEqualTo("Data");
    type("{\"amount\": 1");
    activate("Publish");
    see("This is not JSON");
    seeFocus("Publish");
    reach("Shift+Tab", "Data");
    press("End");
    type("}");
    reach("Headers, one a line");
    type("type: order");
    reach("Publish");
    press("Space");
    see("Published as sequence 0.");
    seeDialog(false);
    seeFocus("Publish…");
    see("1 message");
    reach("Search by");
    press("ArrowUp"); // from a sequence
    activate("Search");
    see("1 message; this is the end");
    reach("Publish…");
    press("Tab"); // to the message
    openMessage(focused());
    see("type: order");
    assertThat(page.locator("pre")).hasText("{\n  \"amount\": 1\n}");

    reach("Shift+Tab", "orders");
    press("Enter");
    activate("billing");
    assertThat(page.locator(".uplot").last()).isVisible();
    reach("Pause");
    press("Space");
    see("billing is paused.");
    await()
        .until(
            () ->
                asked
                    .send("GET", BILLING, "", "Authorization", bearer)
                    .json()
                    .at("/stats/paused")
                    .asBoolean());
    activate("Purge…");
    seeFocus("Type billing to confirm");
    type("billing");
    reach("Skip all");
    press("Enter");
    see("Skipped 1 message.");
    seeDialog(false);
    seeFocus("Purge…");
  }

  private void makeLetters(int count) {
    for (int i = 0; i < count; i++) {
      asked.post(ORDERS + "/messages", "{\"n\":" + i + "}");
      String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
      asked.post(
          BILLING + "/reject", "{\"reason\":\"r" + i + "\",\"receipts\":[\"" + receipt + "\"]}");
    }
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == count);
  }

  private void fill() {
    start(RiverServer.builder());
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    asked.put("/v1/queues/audit", "");
    asked.put(ORDERS + "/forwards/audit", "{}");
    makeLetters(2);
  }

  /** The focus stays in a dialog in both directions, and is where it was after Escape. */
  private void escape(String opener) {
    activate(opener);
    seeDialog(true);
    assertThat((Boolean) page.evaluate(IN_DIALOG)).as("the focus when it opens").isTrue();
    int all = page.locator("dialog :is(button, input, select, textarea)").count();
    for (String key : List.of("Tab", "Shift+Tab")) {
      for (int i = 0; i <= all; i++) {
        press(key);
        assertThat((Boolean) page.evaluate(IN_DIALOG)).as(opener + " after " + key).isTrue();
      }
    }
    press("Escape");
    seeDialog(false);
    seeFocus(opener);
  }

  @Test
  void shouldHoldTheFocusInEachDialogAndGiveItBack() {
    fill();
    Map<String, List<String>> openers =
        Map.of(
            "#/", List.of("Create queue…"),
            "#/queues/orders",
                List.of(
                    "Create subscriber…", "Status…", "Forward…", "Trim…", "Delete queue…", "End…"),
            "#/queues/orders/messages", List.of("Publish…", "Cancel this message…"),
            "#/queues/orders/settings", List.of("Change…"),
            "#/queues/orders/subscribers/billing",
                List.of(
                    "Seek…",
                    "Purge…",
                    "Delete subscriber…",
                    "Redrive…",
                    "Delete all…",
                    "Delete this one…"),
            "#/queues/orders/subscribers/billing/settings", List.of("Change…"));
    openers.forEach(
        (hash, names) -> {
          openPage(hash);
          for (String name : names) {
            if (name.contains("this")) {
              assertThat(page.locator("summary").first()).isVisible();
              openMessage(page.locator("summary").first().textContent());
            }
            escape(name);
          }
        });
  }

  /** What is shown anew every few seconds takes the focus from nothing. */
  @Test
  void shouldKeepTheFocusWhileFiguresChange() {
    fill();
    asked.put("/v1/queues/beta", "");
    asked.post("/v1/queues/audit/messages", "x");
    open(server.port(), "#/?sort=messages&down=1");
    see("3 queues");
    assertThat(page.locator("tbody tr").first()).containsText("audit");
    reach("orders");
    for (int i = 0; i < 5; i++) {
      asked.post("/v1/queues/beta/messages", "x"); // the first of the list now
    }
    assertThat(page.locator("tbody tr").first()).containsText("beta");
    seeFocus("orders");
    press("Enter");
    activate("End…");
    seeDialog(true);
    asked.delete(ORDERS + "/forwards/audit");
    asked.put(ORDERS + "/forwards/audit", "{\"filter\":\"key == 'eu'\"}");
    assertThat(page.getByLabel("Forwards").first()).containsText("key == 'eu'");
    press("Escape");
    seeDialog(false);
    seeFocus("End…");
  }

  /** What a dialog's action replaces leaves the focus beside it, else at the page's content. */
  @Test
  void shouldKeepTheFocusWhenWhatHadItIsReplaced() {
    fill();
    open(server.port(), "#/queues/orders/settings");
    see("maxMessages");
    while (!"maxMessages".equals(page.evaluate(ROW))) {
      press("Tab");
    }
    press("Enter");
    reach("maxMessages");
    type("7");
    press("Enter");
    see("maxMessages is changed.");
    page.waitForCondition(() -> "maxMessages".equals(page.evaluate(ROW)));
    seeFocus("Change…");

    openPage("#/queues/orders/subscribers/billing");
    see("the oldest 2 of 2");
    openMessage("Sequence 0: r0, attempts: 1");
    activate("Delete this one…");
    activate("Delete it");
    see("the oldest 1 of 1");
    seeFocus("Sequence 1: r1, attempts: 1");
    openMessage("Sequence 1: r1, attempts: 1");
    activate("Delete this one…");
    activate("Delete it");
    see("none");
    assertThat(page.locator("main")).isFocused();
  }
}
