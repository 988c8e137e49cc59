package com.wookler.river.rest.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.FilePayload;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each action of the console, as an operator does it, and what it has done in the server. */
class ConsoleActionsTest extends ConsoleFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final String HOSTILE = "<img src=x onerror=\"window.hacked=1\"><b>bold</b>";
  private static final int LARGE = 10 << 20;
  private static final Set<String> SUCCEEDED =
      ConcurrentHashMap.newKeySet(); // requests of the page
  private static int testsRun;

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
    asked.put(ORDERS, "{\"recycle\":{\"messages\":100}}");
    asked.put(BILLING, "{\"maxDeliveries\":3}");
    page.onResponse(
        answer -> {
          if (answer.ok()) {
            String path = URI.create(answer.url()).getPath();
            SUCCEEDED.add(answer.request().method() + " " + path);
          }
        });
  }

  @AfterEach
  void stop() {
    server.close();
    testsRun++;
  }

  /**
   * The requests of the table of actions in docs/console.md, as patterns. A method alone is one of
   * the next path, or of any; a path alone has the method before it.
   */
  private static List<Pattern> documented() throws IOException {
    String text = Files.readString(Path.of("..", "docs", "console.md"));
    List<Pattern> requests = new ArrayList<>();
    int begin = text.indexOf("| action |");
    String table = text.substring(begin, text.indexOf("\n\n", begin));
    for (String row : table.split("\n", -1)) {
      List<String> methods = new ArrayList<>();
      String last = "";
      String cell = row.substring(row.lastIndexOf('|', row.length() - 2));
      for (Matcher part = Pattern.compile("`([^`]+)`").matcher(cell); part.find(); ) {
        String[] words = part.group(1).split(" ", -1);
        if (!words[0].contains("/")) {
          last = words[0];
          methods.add(last);
        }
        String path = words[words.length - 1];
        if (path.contains("/")) {
          for (String method : methods.isEmpty() ? List.of(last) : methods) {
            requests.add(request(method, path));
          }
          methods.clear();
        }
      }
      methods.forEach(method -> requests.add(request(method, "…")));
    }
    return requests;
  }

  private static Pattern request(String method, String path) {
    String places = path.replaceAll("\\{[a-z]+}", "[^/]+").replace("…", "/v1/queues/.+");
    return Pattern.compile(method + " " + places);
  }

  /** Where all tests have run, each request that the docs list was made by the page. */
  @AfterAll
  static void shouldHaveDoneAllThatTheDocsList() throws IOException {
    long all =
        Stream.of(ConsoleActionsTest.class.getDeclaredMethods())
            .filter(method -> method.isAnnotationPresent(Test.class))
            .count();
    if (testsRun == all) {
      List<Pattern> documented = documented();
      assertThat(documented).hasSizeGreaterThan(20);
      assertThat(documented)
          .allSatisfy(
              request -> assertThat(SUCCEEDED).anyMatch(done -> request.matcher(done).matches()));
    }
  }

  private void open(String hash) {
    open(server.port(), hash);
  }

  private void publish(int count) {
    for (int i = 0; i < count; i++) {
      asked.post(ORDERS + "/messages", "{\"n\":" + i + "}");
    }
  }

  private int stat(String path) {
    return asked.get(BILLING).json().at(path).asInt();
  }

  private void makeLetters(int count) {
    publish(count);
    for (int i = 0; i < count; i++) {
      String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
      asked.post(
          BILLING + "/reject", "{\"reason\":\"r" + i + "\",\"receipts\":[\"" + receipt + "\"]}");
    }
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == count);
  }

  /** The row of a setting. */
  private Locator setting(String name) {
    return page.locator("tr")
        .filter(
            new Locator.FilterOptions()
                .setHas(page.getByText(name, new Page.GetByTextOptions().setExact(true))));
  }

  @Test
  void shouldCreateChangeAndDeleteAQueueAndASubscriber() {
    open("#/");
    button("Create queue…").click();
    field("Name").fill("prices");
    field("Settings as JSON").fill("{\"maxMessages\": 5");
    submit("Create").click();
    see("This is not JSON");
    field("Settings as JSON").fill("{\"maxMessages\": 5}");
    submit("Create").click();
    see("Queue prices is there.");

    button("Create subscriber…").click();
    field("Name").fill("shop");
    submit("Create").click();
    see("Subscriber shop is there.");
    assertThat(asked.get("/v1/queues/prices/subscribers/shop").status()).isEqualTo(200);

    open("#/queues/prices/settings");
    setting("maxMessages").getByText("Change…").click();
    field("maxMessages").fill("9007199254740993");
    submit("Change").click();
    see("This number is too large for a browser");
    field("maxMessages").fill("7");
    submit("Change").click();
    see("maxMessages is changed.");
    assertThat(asked.get("/v1/queues/prices").json().at("/settings/maxMessages").asInt())
        .isEqualTo(7);

    open("#/queues/prices/subscribers/shop/settings");
    setting("ackTimeout").getByText("Change…").click();
    field("ackTimeout").fill("2m");
    submit("Change").click();
    see("ackTimeout is changed.");
    JsonNode changed = asked.get("/v1/queues/prices/subscribers/shop").json().at("/settings");
    assertThat(changed.get("ackTimeout").asText()).isEqualTo("2m");

    open("#/queues/prices/subscribers/shop");
    button("Delete subscriber…").click();
    field("Type shop to confirm").fill("sho");
    assertThat(submit("Delete the subscriber")).isDisabled();
    field("Type shop to confirm").fill("shop");
    submit("Delete the subscriber").click();
    see("Subscriber shop is deleted.");

    button("Delete queue…").click();
    field("Type prices to confirm").fill("prices");
    submit("Delete the queue").click();
    see("Queue prices is deleted.");
    assertThat(asked.get("/v1/queues/prices").status()).isEqualTo(404);
  }

  @Test
  void shouldPublishBrowseSearchCancelAndDownload() throws Exception {
    open("#/queues/orders/messages");
    button("Publish…").click();
    field("Data").fill("{\"amount\": 12345678901234567890, \"to\": \"x\"}");
    field("What").selectOption("json");
    field("Key").fill("eü");
    field("Headers, one a line").fill("type: order\nnote: größer");
    submit("Publish").click();
    see("Published as sequence 0.");
    button("Publish…").click();
    field("What").selectOption("file");
    field("File")
        .setInputFiles(new FilePayload("a.bin", "application/octet-stream", new byte[] {0, 1, -1}));
    submit("Publish").click();
    see("Published as sequence 1.");

    see("2 messages"); // else the list that is replaced may be the one that is clicked
    page.locator("summary").first().click();
    see("\"amount\": 12345678901234567890,");
    see("note: größer");
    page.locator("summary").nth(1).click();
    see("00 01 ff");
    Download saved = page.waitForDownload(() -> button("Download").nth(1).click());
    assertThat(Files.readAllBytes(saved.path())).containsExactly(0, 1, -1);

    page.getByLabel("Search by").selectOption("from");
    page.getByLabel("Only messages that match the expression").fill("json.to == 'y'");
    button("Search").click();
    see("0 messages; this is the end");
    page.getByLabel("Only messages that match the expression").fill("headers.type == 'order'");
    button("Search").click();
    see("1 message; this is the end");
    page.getByLabel("Only messages that match the expression").fill("");
    page.getByLabel("Search by").selectOption("at");
    page.getByLabel("Sequence, time or key").fill("2020-01-01T00:00");
    button("Search").click();
    see("2 messages; this is the end");
    page.locator("summary").nth(1).click();
    button("Cancel this message…").click();
    submit("Cancel the message").click();
    see("Message 1: cancelled.");
    assertThat(asked.get(ORDERS + "/messages/1").status()).isEqualTo(404);

    button("Publish…").click();
    field("Data").fill("größer");
    field("Id").fill("order 7");
    field("Delay").fill("1h");
    submit("Publish").click();
    see("Published as sequence 2.");
    assertThat(asked.get(ORDERS).json().at("/stats/delayed").asInt()).isEqualTo(1);
    JsonNode stored = asked.get(ORDERS + "/messages/2").json();
    assertThat(stored.at("/data").asText()).isEqualTo("größer");
    assertThat(stored.at("/id").asText()).isEqualTo("order 7");
    button("Publish…").click();
    field("Data").fill("größer");
    field("Id").fill("order 7");
    submit("Publish").click();
    see("It was there already, as sequence 2.");
  }

  @Test
  void shouldShowHostileAndLargeMessagesAsTextAndInParts() {
    asked.send("POST", ORDERS + "/messages", HOSTILE, "River-Key", "k", "River-Header-H", HOSTILE);
    asked.post(ORDERS + "/messages", "x".repeat(LARGE));
    open("#/queues/orders/messages");
    see("2 messages");
    page.locator("summary").first().click();
    assertThat(page.locator("pre").first()).hasText(HOSTILE);
    page.locator("summary").nth(1).click();
    see("cut after 64 KB of 10 MB");
    assertThat((Boolean) page.evaluate("window.hacked === undefined")).isTrue();
    assertThat(page.locator("main img, main b")).hasCount(0);
    assertThat(page.locator("pre").nth(1).textContent()).hasSize(65_536);
    Download saved = page.waitForDownload(() -> button("Download").nth(1).click());
    assertThat(saved.path()).hasSize(LARGE);
  }

  @Test
  void shouldPauseResumeSeekAndPurge() {
    publish(5);
    String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
    asked.post(BILLING + "/ack", "{\"receipts\":[\"" + receipt + "\"]}");
    open("#/queues/orders/subscribers/billing");
    button("Pause").click();
    see("billing is paused.");
    await().until(() -> asked.get(BILLING).json().at("/stats/paused").asBoolean());
    button("Resume").click();
    see("billing is resumed.");

    button("Seek…").click();
    assertThat(submit("Move the subscriber")).isDisabled();
    submit("Show what it means").click();
    see("1 message that is completed will be delivered again.");
    submit("Move the subscriber").click();
    see("billing was moved.");
    assertThat(stat("/stats/lag")).isEqualTo(5);
    button("Seek…").click();
    field("Where to").selectOption("sequence");
    field("Sequence or time").fill("3");
    submit("Show what it means").click();
    see("Up to 3 messages will be skipped.");
    submit("Move the subscriber").click();
    await().until(() -> stat("/stats/lag") == 2);
    button("Seek…").click();
    field("Where to").selectOption("time");
    field("Sequence or time").fill("2020-01-01T00:00");
    submit("Show what it means").click();
    see("3 messages that are completed will be delivered again.");
    submit("Move the subscriber").click();
    await().until(() -> stat("/stats/lag") == 5);
    button("Seek…").click();
    field("Where to").selectOption("LATEST");
    submit("Show what it means").click();
    see("5 messages will be skipped.");
    submit("Move the subscriber").click();
    await().until(() -> stat("/stats/lag") == 0);
    publish(2);

    button("Purge…").click();
    see("2 messages will be skipped");
    field("Type billing to confirm").fill("billing");
    submit("Skip all").click();
    see("Skipped 2 messages.");
    assertThat(stat("/stats/lag")).isZero();
  }

  @Test
  void shouldMoveOnlyWhereItHasShownWhatThatMeans() {
    publish(5);
    List<Route> held = new ArrayList<>();
    open("#/queues/orders/subscribers/billing");
    button("Seek…").click();
    field("Where to").selectOption("sequence");
    field("Sequence or time").fill("1");
    page.route(url -> url.endsWith(ORDERS), held::add);
    submit("Show what it means").click();
    page.waitForCondition(() -> !held.isEmpty());
    field("Sequence or time").fill("4");
    page.waitForResponse(url -> url.url().endsWith(ORDERS), () -> held.forEach(Route::resume));
    page.evaluate("() => fetch('v1/options').then(answer => answer.text())");
    assertThat(submit("Move the subscriber")).isDisabled();
    assertThat(page.locator("dialog")).not().containsText("will be skipped");
  }

  @Test
  void shouldDoOnceWhatIsUnderWay() {
    publish(2);
    List<Route> held = new ArrayList<>();
    open("#/queues/orders/subscribers/billing");
    page.route(url -> url.endsWith("/purge"), held::add);
    button("Purge…").click();
    field("Type billing to confirm").fill("billing");
    submit("Skip all").click();
    page.waitForCondition(() -> !held.isEmpty());
    field("Type billing to confirm").fill("billin");
    field("Type billing to confirm").fill("billing");
    assertThat(submit("Skip all")).isDisabled();
    held.forEach(Route::resume);
    see("Skipped 2 messages.");
    assertThat(held).hasSize(1);
  }

  @Test
  void shouldRedriveOneSomeAndAllDeadLettersAndDeleteThem() {
    makeLetters(4);
    asked.put("/v1/queues/repair", "");
    open("#/queues/orders/subscribers/billing");
    see("the oldest 4 of 4");
    see("Sequence 2: r2, attempts: 1");
    page.locator("summary").nth(1).click();
    button("Redrive this one").click();
    see("the oldest 3 of 3");
    assertThat(stat("/stats/lag")).isEqualTo(1);

    button("Redrive…").click();
    field("Those that match").fill("headers['river.dead.reason'] == 'r3'");
    field("To the queue").fill("repair");
    submit("Redrive").click();
    see("the oldest 2 of 2");
    see("DONE: 1 redriven, 2 left alone, 0 to go");
    assertThat(asked.get("/v1/queues/repair/messages/0").json().at("/data").asText())
        .isEqualTo("{\"n\":3}");

    button("Redrive…").click();
    submit("Redrive").click();
    see("DONE: 2 redriven, 0 left alone, 0 to go");
    makeLettersAgain();
    button("Refresh").click();
    see("the oldest 1 of 1");
    button("Delete all…").click();
    field("Type billing to confirm").fill("billing");
    submit("Delete them").click();
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == 0);
  }

  @Test
  void shouldCancelARedriveThatWaits() {
    makeLetters(2);
    asked.put("/v1/queues/repair", "");
    asked.put("/v1/queues/repair/status", "{\"status\":\"READ_ONLY\"}");
    open("#/queues/orders/subscribers/billing");
    see("the oldest 2 of 2");
    button("Redrive…").click();
    field("To the queue").fill("repair");
    submit("Redrive").click();
    see("RUNNING: 0 redriven, 0 left alone, 2 to go; waits: ");
    assertAccessible("a redrive that waits");
    page.getByLabel("Dead letters").first().getByText("Cancel").click();
    see("CANCELLED: 0 redriven");
    see("the oldest 2 of 2");
  }

  @Test
  void shouldDeleteOneDeadLetterWhenItIsConfirmed() {
    makeLetters(3);
    open("#/queues/orders/subscribers/billing");
    see("the oldest 3 of 3");
    page.locator("summary").nth(1).click();
    button("Delete this one…").click();
    submit("Cancel").click();
    assertThat(page.locator("dialog")).hasCount(0);
    button("Delete this one…").click();
    see("Delete dead letter 1 of billing");
    submit("Delete it").click();
    see("The dead letter is deleted.");
    see("the oldest 2 of 2");
    assertThat(page.locator("main")).not().containsText("r1, attempts");
    assertThat(asked.get(BILLING + "/dead").json().findValuesAsText("river.dead.reason"))
        .containsExactly("r0", "r2");
  }

  @Test
  void shouldShowBlocksOfLogAndBackupAPageAtATime() {
    String late = "/v1/queues/many/subscribers/late";
    asked.put(
        "/v1/queues/many", "{\"recycle\":{\"messages\":1},\"backup\":{\"retention\":\"1h\"}}");
    asked.put(late, "");
    for (int i = 0; i < 119; i++) {
      asked.post("/v1/queues/many/messages", "x");
    }
    asked.post(late + "/seek", "{\"sequence\":60}");
    await().until(() -> asked.get("/v1/queues/many").json().at("/stats/backups").asInt() == 60);
    open("#/queues/many");
    page.getByText("Blocks", new Page.GetByTextOptions().setExact(true)).first().click();
    see("the newest 100");
    assertThat(page.locator("tbody tr")).hasCount(100);
    assertThat(page.locator("tbody tr").first()).containsText("in the log, appended to");
    button("Show older").click();
    see("the newest 120, which are all");
    assertThat(button("Show older")).isHidden();
    assertThat(page.locator("tbody tr").last()).containsText("1in the backup alone001");
    assertAccessible("blocks");
  }

  @Test
  void shouldShowConsumersAndEndOne() {
    var stream =
        Asked.client()
            .sendAsync(
                asked.request("POST", BILLING + "/stream", ""),
                HttpResponse.BodyHandlers.ofString());
    await().until(() -> server.streams() == 1);
    open("#/queues/orders/subscribers/billing");
    assertThat(page.getByLabel("Connected consumers")).containsText("stream127.0.0.1:");
    assertAccessible("consumers");
    button("End…").click();
    submit("End it").click();
    assertThat(page.getByLabel("Connected consumers")).containsText("none");
    assertThat(stream.join().body()).isBlank();

    var poll = asked.later("POST", BILLING + "/deliveries?max=1&wait=60s", "");
    Locator consumers = page.getByLabel("Connected consumers").first();
    await()
        .until(
            () -> asked.get(BILLING + "/consumers").json().at("/consumers/0/kind").asText(),
            "POLL"::equals);
    button("Refresh consumers").click();
    assertThat(consumers).containsText("poll127.0.0.1:");
    button("End…").click();
    submit("End it").click();
    assertThat(consumers).containsText("none");
    assertThat(poll.join().receipts()).isEmpty();
  }

  private void makeLettersAgain() {
    String receipt = asked.post(BILLING + "/deliveries?max=1", "").receipts().get(0);
    asked.post(BILLING + "/reject", "{\"reason\":\"x\",\"receipts\":[\"" + receipt + "\"]}");
    await().until(() -> asked.get(BILLING + "/dead").json().at("/size").asInt() == 1);
  }

  @Test
  void shouldShowAForwarderThatIsAway() {
    try (MessageQueue<byte[]> queue =
            MessageQueue.builder("metered", MessageConverter.bytes())
                .directory(directory.resolve("own"))
                .open();
        RiverServer own =
            RiverServer.builder()
                .port(0)
                .directory(directory.resolve("none"))
                .queue(queue, MessageConverter.bytes())
                .start()) {
      Instant since = Instant.parse("2026-01-02T03:04:05Z");
      Runnable removal =
          queue.addTransfer(
              () ->
                  new TransferStats(
                      "KAFKA", "topic", "kafka", 17, 3, 12, 1, "no broker", since, false));
      open(own.port(), "#/queues/metered");
      assertThat(page.getByLabel("Forwards")).containsText("to topic topic (kafka)");
      assertThat(page.getByLabel("Forwards")).containsText("away since");
      assertThat(page.getByLabel("Forwards")).containsText("no broker");
      assertThat(button("End…")).hasCount(0);
      assertAccessible("forwards");
      removal.run();
    }
  }

  @Test
  void shouldSetTheStatusForwardAndTrim() {
    publish(10);
    asked.put("/v1/queues/audit", "");
    open("#/queues/orders");
    button("Forward…").click();
    field("To the queue").fill("audit");
    field("Only messages that match").fill("json.n >= 0");
    field("Begin").selectOption("EARLIEST");
    submit("Forward").click();
    assertThat(page.getByLabel("Forwards")).containsText("audit");
    await()
        .until(() -> asked.get("/v1/queues/audit").json().at("/stats/nextSequence").asInt() == 10);
    button("End…").click();
    submit("End it").click();
    assertThat(page.getByLabel("Forwards")).hasCount(0);

    button("Trim…").click();
    field("Keep only the last messages").fill("3");
    submit("Remove the oldest").click();
    see("Removed 7 messages.");
    assertThat(stat("/stats/lag")).isEqualTo(3);

    for (String status : List.of("READ_ONLY", "QUIESCENT", "DOWN", "UP")) {
      button("Status…").click();
      see("quiescent delivers nothing either");
      field("Status").selectOption(status);
      submit("Set").click();
      assertThat(page.locator("dialog")).hasCount(0);
      see("The status of orders is set.");
      assertThat(asked.get(ORDERS).json().at("/stats/status").asText()).isEqualTo(status);
      assertThat(asked.post(ORDERS + "/messages", "x").status())
          .isEqualTo(status.equals("UP") ? 201 : 503);
    }
  }

  @Test
  void shouldKeepNumbersExactThatADoubleWouldNotHold() {
    open("#/");
    see("1 queue");
    Object parsed =
        page.evaluate(
            "async () => JSON.stringify((await import('./console/api.js'))"
                + ".parse('{\"a\":9223372036854775807,\"b\":\"x 9223372036854775807\",\"c\":7}'))");
    assertThat(parsed)
        .isEqualTo("{\"a\":\"9223372036854775807\",\"b\":\"x 9223372036854775807\",\"c\":7}");
    Object meant =
        page.evaluate(
            "async () => (await import('./console/subscriber.js')).effect("
                + "{firstSequence: '9007199254740993', nextSequence: '9007199254740999'},"
                + "{ackFloor: '9007199254740996', lag: 3}, 9007199254740994n)");
    assertThat(meant).isEqualTo("Up to 2 messages that are completed will be delivered again.");
  }
}
