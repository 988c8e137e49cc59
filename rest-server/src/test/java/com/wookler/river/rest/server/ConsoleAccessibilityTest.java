package com.wookler.river.rest.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.wookler.river.rest.server.hosting.KeyFile;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every page of the console, and each of its dialogs open, before axe-core: light and dark, on a
 * phone, a common and a large screen. None is wider than the screen.
 */
class ConsoleAccessibilityTest extends ConsoleFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final String BILLING_PAGE = "#/queues/orders/subscribers/billing";
  private static final List<String> NONE = List.of();
  private static final List<String> PAGES =
      List.of(
          "#/",
          "#/keys",
          "#/queues/orders",
          "#/queues/orders/messages",
          "#/queues/orders/blocks",
          "#/queues/orders/settings",
          BILLING_PAGE,
          BILLING_PAGE + "/settings");

  /** What opens each dialog, by page. Each button whose name ends with dots is here. */
  private static final Map<String, List<String>> DIALOGS =
      Map.of(
          "#/",
          List.of("Create queue…"),
          "#/queues/orders",
          List.of("Create subscriber…", "Status…", "Forward…", "Trim…", "Delete queue…", "End…"),
          "#/queues/orders/messages",
          List.of("Publish…", "Cancel this message…"),
          "#/queues/orders/settings",
          List.of("Change…"),
          BILLING_PAGE,
          List.of(
              "Seek…",
              "Purge…",
              "Delete subscriber…",
              "End…",
              "Redrive…",
              "Delete all…",
              "Delete this one…"),
          BILLING_PAGE + "/settings",
          List.of("Change…"));

  /** Where the pictures of the docs are written: -Driver.console.pictures=../docs/images. */
  private static final String PICTURES = System.getProperty("river.console.pictures", "");

  private static final int SAMPLES = 45; // a minute and a half

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

  /** Queues that have something to show. */
  private void fill() {
    asked.put(ORDERS, "{\"maxMessages\":1000000,\"recycle\":{\"messages\":200}}");
    asked.put(BILLING, "{\"maxDeliveries\":3,\"order\":\"KEY\"}");
    asked.put(ORDERS + "/subscribers/search", "");
    asked.put("/v1/queues/payments", "");
    asked.put("/v1/queues/payments/subscribers/ledger", "");
    asked.put("/v1/queues/readings", "{\"recycle\":{\"age\":\"1h\"}}");
    for (int i = 0; i < 60; i++) {
      asked.send(
          "POST",
          ORDERS + "/messages",
          "{\"order\":" + i + ",\"amount\":" + i * 17 % 90 + ",\"to\":\"customer-" + i % 7 + "\"}",
          "River-Key",
          "customer-" + i % 7,
          "River-Header-Type",
          "order");
      asked.post("/v1/queues/readings/messages", "21." + i);
    }
    for (String reason : List.of("no such customer", "card was declined", "no such customer")) {
      String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
      asked.post(
          BILLING + "/reject",
          "{\"reason\":\"" + reason + "\",\"receipts\":[\"" + receipt + "\"]}");
    }
    asked.post(BILLING + "/deliveries?max=5", "");
    asked.post("/v1/queues/payments/messages", "x");
    asked.post("/v1/queues/payments/subscribers/ledger/pause", "");
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == 3);
  }

  /** Uses the queues while the server takes samples, so that the plots of pictures show a past. */
  private void fillPlots() {
    String last = "";
    for (int i = 0; i < SAMPLES; i++) {
      String before = last;
      last =
          await()
              .until(
                  () -> asked.get("/v1/figures").json().get("at").asText(),
                  at -> !at.equals(before));
      int wave = 9 + (int) Math.round(6 * Math.sin(i / 5.0));
      for (int each = 0; each < wave; each++) {
        asked.send(
            "POST", ORDERS + "/messages", "{\"order\":" + each + "}", "River-Key", "k" + each);
        asked.post("/v1/queues/readings/messages", "21." + each);
      }
      acknowledge(BILLING, wave - i % 3);
      acknowledge(ORDERS + "/subscribers/search", wave + 3);
    }
  }

  private void acknowledge(String subscriber, int max) {
    Asked.Reply taken = asked.post(subscriber + "/deliveries?max=" + max, "");
    String receipts =
        taken.receipts().stream().map(each -> '"' + each + '"').collect(Collectors.joining(","));
    if (!receipts.isEmpty()) {
      asked.post(subscriber + "/ack", "{\"receipts\":[" + receipts + "]}");
    }
  }

  /** Opens the page as it is after its load, with what it shows later, too. */
  private void visit(String hash) {
    open(server.port(), hash);
    page.reload();
    see("as of");
    if (hash.endsWith("orders") || hash.endsWith("billing")) {
      assertThat(page.locator(".uplot").first()).isVisible();
    }
    if (hash.endsWith("messages") || hash.endsWith("billing")) {
      page.locator("summary").first().click();
    }
  }

  /** Fails where axe-core finds a violation, or something is wider than the screen. */
  private void assertGood(String what) {
    assertAccessible(what);
    Object wide =
        page.evaluate(
            """
            () => [document.documentElement, ...document.querySelectorAll("dialog")]
              .filter((each) => each.scrollWidth > each.clientWidth || each.scrollWidth > innerWidth)
              .map((each) => each.tagName + " " + each.scrollWidth + " of " + innerWidth)
            """);
    assertThat((List<?>) wide).as(what).isEmpty();
  }

  private void openEachDialog(String what, String hash) {
    List<String> openers = DIALOGS.getOrDefault(hash, NONE);
    Object found =
        page.evaluate(
            "[...document.querySelectorAll('button')].map(b => b.textContent).filter(t => t.endsWith('…'))");
    assertThat(new TreeSet<>((List<?>) found)).as(hash).isEqualTo(new TreeSet<Object>(openers));
    for (String opener : openers) {
      button(opener).first().click();
      assertThat(page.locator("dialog")).isVisible();
      assertGood(what + " " + hash + " " + opener);
      page.keyboard().press("Escape");
      assertThat(page.locator("dialog")).hasCount(0);
    }
  }

  @ParameterizedTest
  @Timeout(900)
  @CsvSource({
    "LIGHT, 390, 844",
    "DARK, 390, 844",
    "LIGHT, 1280, 900",
    "DARK, 1280, 900",
    "LIGHT, 3840, 2160",
    "DARK, 3840, 2160"
  })
  void shouldHaveNoViolationOnAnyPageNorInAnyDialog(ColorScheme colors, int width, int height) {
    start(RiverServer.builder());
    fill();
    asked.put("/v1/queues/audit", "");
    asked.put(ORDERS + "/forwards/audit", "{}");
    var stream =
        Asked.client()
            .sendAsync(
                asked.request("POST", BILLING + "/stream?credit=1", ""),
                HttpResponse.BodyHandlers.ofString());
    await().until(() -> server.streams() == 1);
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(colors));
    page.setViewportSize(width, height);
    String what = colors + " " + width;
    for (String hash : PAGES) {
      visit(hash);
      if (hash.endsWith("/settings")) {
        assertThat(button("Change…").first()).isVisible();
      }
      if (hash.equals("#/queues/orders")) {
        assertThat(button("End…")).isVisible();
      }
      if (hash.equals(BILLING_PAGE)) {
        see("the oldest 3 of 3");
        assertThat(button("End…")).isVisible();
      }
      assertGood(what + " " + hash);
      openEachDialog(what, hash);
    }
    server.close(); // which ends the stream
    stream.join();
    assertThat(page.locator("#state")).containsText("Stale");
    assertGood(what + " stale");
  }

  /** What is there for a moment or when something fails. */
  @ParameterizedTest
  @CsvSource({"LIGHT, 390", "DARK, 390", "LIGHT, 1280", "DARK, 1280"})
  void shouldHaveNoViolationInNotesErrorsAndRefusals(ColorScheme colors, int width) {
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    String admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    start(RiverServer.builder().keys(file.path()));
    asked.send("PUT", ORDERS, "", "Authorization", "Bearer " + admin);
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(colors));
    page.setViewportSize(width, 900);
    String what = colors + " " + width;
    open(server.port(), "#/");
    see("This server has keys.");
    assertGood(what + " no key");
    useKey(admin);
    see("1 queue");
    button("Create queue…").click();
    field("Name").fill("a".repeat(64));
    field("Settings as JSON").fill("{");
    submit("Create").click();
    see("This is not JSON");
    assertGood(what + " an error in a dialog");
    field("Settings as JSON").fill("{}");
    submit("Create").click();
    see("is there.");
    assertGood(what + " a note and a long name");
    page.getByText("Messages", new Page.GetByTextOptions().setExact(true)).click();
    see("0 messages");
    page.getByLabel("Search by").selectOption("from");
    page.getByLabel("Sequence, time or key").fill("no number");
    button("Search").click();
    see("That is no sequence or time.");
    assertGood(what + " no sequence");
    page.evaluate("import('./console/dom.js').then(dom => dom.note('It failed.', true))");
    see("It failed.");
    assertGood(what + " a note of a failure");
    open(server.port(), "#/queues/none");
    see("none");
    assertGood(what + " no such queue");
  }

  @Test
  void shouldFitAScreenThatIsEnlargedToFourHundredPerCent() {
    start(RiverServer.builder());
    fill();
    page.setViewportSize(320, 256); // 1280 pixels at 400 %
    for (String hash : PAGES) {
      visit(hash);
      assertThat((Integer) page.evaluate("document.documentElement.scrollWidth"))
          .as(hash)
          .isLessThanOrEqualTo(320);
    }
  }

  private void picture(String hash, String name) {
    visit(hash);
    if (hash.endsWith("billing")) {
      see("the oldest 3 of 3");
      page.getByLabel("Dead letters").first().scrollIntoViewIfNeeded();
    }
    page.screenshot(
        new Page.ScreenshotOptions().setPath(Path.of(PICTURES, "console-" + name + ".png")));
  }

  @Test
  @EnabledIfSystemProperty(named = "river.console.pictures", matches = ".+")
  void shouldMakeThePicturesOfTheDocs() {
    start(RiverServer.builder());
    fill();
    fillPlots();
    picture("#/", "overview");
    picture("#/queues/orders", "queue");
    picture(BILLING_PAGE, "dead-letters");
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    picture("#/", "dark");
    page.setViewportSize(390, 844);
    picture("#/queues/orders", "phone");
  }
}
