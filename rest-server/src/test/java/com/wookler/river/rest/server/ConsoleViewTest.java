package com.wookler.river.rest.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.KeyLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the console shows, to whom, in which sizes, and while the server is away. */
class ConsoleViewTest extends ConsoleFixture {
  private static final String ORDERS = "/v1/queues/orders";
  private static final String BILLING = ORDERS + "/subscribers/billing";
  private static final List<String> NONE = List.of();
  @TempDir Path directory;
  private RiverServer server;
  private Asked asked;

  private void start(RiverServer.Builder builder) {
    server = builder.directory(directory.resolve("queues")).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** A sample of now is no mean of the time since the last one. */
  @Test
  void shouldFetchTheMeansOfALongerPastAgain() {
    start(RiverServer.builder().port(0));
    asked.put(ORDERS, "");
    AtomicInteger fetched = new AtomicInteger();
    page.route(
        Pattern.compile("/figures[?]span=1h$"),
        route -> {
          fetched.incrementAndGet();
          String past = route.fetch().text();
          route.fulfill(
              new Route.FulfillOptions()
                  .setContentType("application/json")
                  .setBody(past.replaceFirst("\"at\":\"[^\"]+", "\"at\":\"2026-01-01T00:00:00Z")));
        });
    open(server.port(), "#/queues/orders");
    button("Last hour").click();
    page.waitForCondition(() -> fetched.get() >= 3);
    assertThat(page.locator(".uplot").first()).isVisible();
  }

  /** Runs a script with {@code plots}, whose requests wait in {@code asked} until it answers. */
  private Object evaluateWithPlots(String script) {
    start(RiverServer.builder().port(0));
    open(server.port(), "#/");
    see("0 queues");
    return page.evaluate(
        """
        async () => {
          const asked = new Map();
          const settled = () => new Promise((resolve) => setTimeout(resolve)); // what waited has run
          window.fetch = (path) => new Promise((resolve) => asked.set(String(path).split("=").pop(), resolve));
          const answer = async (span, stepMillis, values) => {
            const past = {at: "2026-01-01T12:00:00Z", stepMillis, series: {lag: values}};
            asked.get(span)({ok: true, text: async () => JSON.stringify(past)});
            await settled();
          };
          const drawn = [];
          const Plot = uPlot;
          window.uPlot = function (options, data, box) {
            const made = new Plot(options, data, box);
            drawn.push(made);
            return made;
          };
          const { plots } = await import("./console/plot.js");
          const made = plots("v1/queues/orders", [{title: "Lag", lines: [["lag", "lag"]], show: String}]);
          document.querySelector("main").append(made.element);
          const click = (span) => made.element.querySelector("[data-span='" + span + "']").click();
        """
            + script
            + "}");
  }

  @Test
  void shouldNotShowALateAnswerInAPlotOfANewerSpan() {
    assertThat(
            evaluateWithPlots(
                """
                await answer("10m", 2000, [1, 2]);
                click("1h");
                click("1d");
                await answer("1d", 320000, [1, 2, 3]);
                await answer("1h", 15000, [1, 2, 3, 4]);
                made.update({lag: 9}, "2026-01-01T12:05:00Z"); // too early for a mean of the day
                const shown = drawn.at(-1).data[0].length;
                click("1h");
                const refused = asked.get("1h");
                click("10m");
                asked.get("10m")({ok: true, text: async () => JSON.stringify({at: "2026-01-01T12:00:00Z", stepMillis: 2000, series: {lag: [1]}})});
                refused({ok: false, status: 500, json: async () => ({})});
                await settled();
                made.update({lag: 9}, "2026-01-01T12:00:02Z"); // a failure of before has no effect
                const last = drawn.at(-1).data[0].length;
                made.close();
                return drawn.length + " plots, " + shown + " samples, then " + last;
                """))
        .isEqualTo("3 plots, 3 samples, then 2");
  }

  @Test
  void shouldShowOneSampleInATimeOfItsOwn() {
    assertThat(
            evaluateWithPlots(
                """
                await answer("10m", 2000, [1]);
                const one = drawn[0].scales.x.max - drawn[0].scales.x.min;
                const labels = drawn[0].axes[0]._values.join(" ");
                made.update({lag: 2}, "2026-01-01T12:00:02Z");
                await settled();
                const two = drawn[0].scales.x.max - drawn[0].scales.x.min;
                for (let i = 2; i <= 20; i++) {
                  made.update({lag: i}, new Date(Date.UTC(2026, 0, 1, 12, 0, 2 * i)).toISOString());
                }
                await settled();
                const many = drawn[0].scales.x.max - drawn[0].scales.x.min;
                click("1h");
                await answer("1h", 15000, []);
                made.close();
                return [one, two, many, labels].join(", ");
                """))
        .asString()
        .matches("20, 20, 40, (12:59:[0-9]{2} )+13:00:00");
  }

  @Test
  void shouldShowTheSettingsOfAFileAndOfferNoChange() throws Exception {
    String queues = directory.resolve("queues").toString();
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            """
            <river><server><params><param name='server.queue.port' value='0'/>
            <param name='server.directory' value='DIRECTORY'/></params></server>
            <queue name='orders'><params><param name='queue.directory' value='DIRECTORY'/>
            <param name='queue.message.converter' value='CONVERTER'/>
            <param name='queue.max.messages' value='12345'/></params></queue></river>
            """
                .replace("DIRECTORY", queues)
                .replace("CONVERTER", Words.class.getName()));
    server = RiverServer.open(file);
    asked = new Asked(server);
    open(server.port(), "#/queues/orders/settings");
    see("This queue is configured in the server's file.");
    see("maxMessages12345");
    assertThat(button("Change…")).hasCount(0);
    asked.put(BILLING, "");
    open(server.port(), "#/queues/orders/subscribers/billing/settings");
    assertThat(button("Change…").first()).isVisible();
  }

  @Test
  void shouldShowNoActionToAKeyWithoutRightsAndTheServerRefusesThem() {
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    String admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    String consumer = file.add("consumer", NONE, List.of("ord*"), NONE, NONE).text();
    String figures = file.add("figures", NONE, NONE, NONE, List.of("orders")).text();
    start(RiverServer.builder().port(0).keys(file.path()));
    String bearer = "Bearer " + admin;
    asked.send("PUT", ORDERS, "", "Authorization", bearer);
    asked.send("PUT", BILLING, "", "Authorization", bearer);
    asked.send("PUT", "/v1/queues/secret", "", "Authorization", bearer);

    open(server.port(), "#/");
    see("This server has keys.");
    useKey(consumer);
    see("1 queue");
    assertThat(page.locator("main")).not().containsText("secret");
    assertThat(button("Create queue…")).hasCount(0);
    open(server.port(), "#/queues/orders/subscribers/billing");
    useKey(consumer);
    see("Dead letters");
    for (String action : List.of("Pause", "Seek…", "Purge…", "Delete subscriber…", "Redrive…")) {
      assertThat(button(action)).hasCount(0);
    }
    Object status =
        page.evaluate(
            "async () => { try { const api = await import('./console/api.js');"
                + " await api.call('POST', api.of('orders', 'billing') + '/purge'); return 200; }"
                + " catch (failure) { return failure.status; } }");
    assertThat(status).isEqualTo(403);
    useKey(admin);
    assertThat(button("Purge…")).isVisible();
    useKey(figures);
    assertThat(button("Purge…")).hasCount(0);
    assertThat(page.locator("main")).not().containsText("Dead letters of");

    assertThat(file.revoke("figures")).isEqualTo(1);
    see("This server has keys.");
    see("Stale");
    assertThat((String) page.evaluate("document.cookie + JSON.stringify(localStorage)"))
        .isEqualTo("{}");
  }

  @Test
  void shouldShowKeysWithoutSecretsAndToOthersOnlyTheirOwn() {
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    String admin = file.add("admin", NONE, NONE, List.of("*"), NONE).text();
    String shop =
        file.add(
                "shop",
                List.of("orders", "eu-*"),
                NONE,
                NONE,
                NONE,
                new KeyLimits(
                    "2099-01-01T00:00:00Z",
                    new KeyLimits.Rate(10, 20),
                    new KeyLimits.Rate(5, null)))
            .text();
    file.add(
        "old",
        List.of("orders"),
        NONE,
        NONE,
        NONE,
        new KeyLimits("2026-01-01T00:00:00Z", null, null));
    start(RiverServer.builder().port(0).keys(file.path()));
    open(server.port(), "#/");
    useKey(shop);
    see("as of");
    page.locator("header").getByText("Keys", new Locator.GetByTextOptions().setExact(true)).click();
    see("orders, eu-*");
    see("10 a second, 20 at once");
    see("2099-01-01 01:00:00");
    see("All keys are shown to a key that may administer every queue.");
    assertThat(page.locator("main")).not().containsText("old");
    useKey(admin);
    see("expired 2026-01-01");
    assertThat(page.locator("main")).containsText("shop");
    assertThat(page.locator("main")).containsText("5 a second");
    assertAccessible("keys");
    String shown = page.content();
    for (String key : List.of(admin, shop)) {
      assertThat(shown).doesNotContain(key.substring(key.lastIndexOf('_')));
    }
  }

  @Test
  void shouldShowBinaryDataAsTheConverterDoes() {
    MessageQueue<Long> readings =
        MessageQueue.builder("readings", new Readings()).directory(directory.resolve("own")).open();
    start(RiverServer.builder().port(0).queue(readings, new Readings()));
    readings.publisher().publish(-2L);
    readings.publisher().publish(-1L);
    readings.publisher().publish(0x7F80000000000007L);
    open(server.port(), "#/queues/readings/messages");
    Locator messages = page.locator("summary");
    assertThat(messages).hasCount(3);
    assertThat(messages.nth(0)).containsText("binary, 8 B");
    assertThat(messages.nth(1)).containsText("half a pair: ?");
    messages.nth(2).click();
    see("\"reading\": 9187343239835811847");
    see("binary, as its converter or decoder shows it");
    readings.close();
  }

  @Test
  void shouldShowDataAsADecoderDoesAndWhyOneFailed() throws Exception {
    RiverServer.Builder builder =
        RiverServer.builder().port(0).directory(directory.resolve("queues"));
    server = Shapes.onClassPath(directory.resolve("added"), builder::start);
    asked = new Asked(server);
    for (String base64 : List.of("Y3g=", "/wM=", "/gE=")) { // as text by chance, binary, unknown
      asked.post(
          ORDERS + "/publish",
          "{\"base64\":\"%s\",\"headers\":{\"content-type\":\"%s\"}}"
              .formatted(base64, Shapes.TYPE));
    }
    open(server.port(), "#/queues/orders/messages");
    Locator messages = page.locator("summary");
    assertThat(messages).hasCount(3);
    assertThat(messages.nth(0)).containsText("{\"orders\":\"circle\",\"size\":\"120\"}");
    messages.nth(0).click();
    see("\"size\": \"120\"");
    messages.nth(1).click();
    see("binary, as its converter or decoder shows it");
    messages.nth(2).click();
    see("Its decoder failed: " + Shapes.class.getName());
    see("fe 01");
    assertAccessible("decoded");
  }

  @Test
  void shouldSayThatItIsStaleAndContinueWhenTheServerIsBack() {
    start(RiverServer.builder().port(0));
    int port = server.port();
    asked.put(ORDERS, "");
    open(port, "#/");
    assertThat(page.locator("main")).containsText("orders");
    server.close();
    assertThat(page.locator("#state")).containsText("Stale");
    assertThat(page.locator("main")).containsText("orders");
    start(RiverServer.builder().port(port));
    asked.put("/v1/queues/later", "");
    assertThat(page.locator("main")).containsText("later");
    assertThat(page.locator("#state")).not().containsText("Stale");
  }

  /** A line of the stream of figures with queues, of which each has more messages than the last. */
  private static String figures(int queues) {
    return IntStream.range(0, queues)
        .mapToObj(
            i ->
                """
                {"name":"queue-%03d","state":"RUNNING","status":"UP","messages":%d,"bytes":2048,"diskFree":9,
                "delayed":0,"lost":0,"backupFailures":0,"published":0,"acked":0,"lag":0,"inFlight":0,
                "oldestAgeMillis":0,"dead":0,"subscribers":0,"paused":0,"consumers":0}
                """
                    .formatted(i, 1_234_567 + i)
                    .replace("\n", ""))
        .collect(
            Collectors.joining(
                ",",
                "{\"at\":\"2026-01-01T12:00:00Z\",\"complete\":true,\"removed\":[],\"queues\":[",
                "]}\n"));
  }

  @Test
  void shouldSearchSortAndTurnPagesOfAThousandQueuesAndKeepThatInTheAddress() {
    start(RiverServer.builder().port(0));
    page.route(
        Pattern.compile("/v1/figures/stream"),
        route -> route.fulfill(new Route.FulfillOptions().setBody(figures(1_000))));
    open(server.port(), "#/");
    Locator rows = page.locator("tbody tr");
    see("1–100 of 1000 queues");
    assertThat(rows).hasCount(100);
    assertThat(button("Previous")).isDisabled();
    button("Next").click();
    see("101–200 of 1000 queues");
    assertThat(rows.first()).containsText("queue-100");
    button("messages").click(); // the largest first, from the first page on
    assertThat(rows.first()).containsText("queue-999");
    assertThat(page.locator("th[aria-sort='descending']")).hasText("messages");
    assertThat(rows.first().getByTitle("1,235,566")).hasText(Pattern.compile("1.2[0-9]*M"));
    field("Search queues").fill("QUEUE-04");
    see("10 queues");
    assertThat(button("Next")).isDisabled();
    assertThat(rows.first()).containsText("queue-049");
    page.reload();
    see("10 queues");
    assertThat(rows.first()).containsText("queue-049");
  }

  /** A thousand rows in the overview, of which a hundred are shown. */
  @Test
  void shouldUpdateManyQueuesInAFewMilliseconds() {
    assertThat(updateMillis(1_000)).isLessThan(100);
  }

  /** Scripting of a tick: the line of the stream is read, and shown. */
  @Test
  void shouldUpdateTwoHundredQueuesOfFiveSubscribersWithinAFrame() {
    assertThat(updateMillis(200)).isLessThanOrEqualTo(16);
  }

  /** The median of updates, of queues with five subscribers each, which have rows of their own. */
  private double updateMillis(int queues) {
    start(RiverServer.builder().port(0));
    open(server.port(), "#/");
    see("0 queues");
    Object millis =
        page.evaluate(
            """
            async (count) => {
              const overview = await import('./console/overview.js');
              const main = document.createElement('main');
              document.body.append(main);
              const page = overview.open(main, {query: new URLSearchParams()});
              const row = (i, n) => ({name: 'queue-' + i, state: 'RUNNING', status: 'UP', messages: n * i,
                bytes: n, diskFree: 9, delayed: 0, lost: 0, backupFailures: 0, published: n, acked: n, lag: i * n,
                inFlight: n, oldestAgeMillis: n, dead: 0, subscribers: 5, paused: 0, consumers: 1});
              const subscriber = (i, n) => ({queue: 'queue-' + (i % count), name: 'subscriber-' + i, delivered: n,
                acked: n, redelivered: 0, lag: i * n, inFlight: n, oldestAgeMillis: n, dead: 0, paused: false, consumers: 1});
              const line = (n) => JSON.stringify({at: '2026-01-01T00:00:00Z', complete: false, removed: [],
                queues: Array.from({length: count}, (_, i) => row(i, n)),
                subscribers: Array.from({length: 5 * count}, (_, i) => subscriber(i, n))});
              const queues = new Map();
              const times = [];
              for (let n = 1; n < 30; n++) {
                const text = line(n);
                const begun = performance.now();
                const read = JSON.parse(text);
                read.queues.forEach((each) => queues.set(each.name, each));
                page.update({queues, subscribers: read.subscribers, at: read.at});
                times.push(performance.now() - begun);
              }
              const shown = main.querySelectorAll('tbody tr').length;
              main.remove();
              return shown < 100 ? NaN : times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
            }
            """,
            queues);
    return ((Number) millis).doubleValue();
  }

  @Test
  void shouldNameTheTimeZoneAndShowTimesInIt() {
    newPage("Asia/Kolkata");
    start(RiverServer.builder().port(0));
    asked.put(ORDERS, "");
    asked.put(BILLING, "");
    asked.post(ORDERS + "/messages", "x");
    String published = asked.get(ORDERS + "/messages/0").json().get("publishedAt").asText();
    ZonedDateTime there = Instant.parse(published).atZone(ZoneId.of("Asia/Kolkata"));
    open(server.port(), "#/queues/orders/messages");
    Pattern named =
        Pattern.compile("Times are in Asia/(Kolkata|Calcutta)[.]"); // as the browser has it
    assertThat(page.locator("#zone")).hasText(named);
    assertThat(page.locator("summary"))
        .containsText(there.format(DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS")));
    see("as of");
    String asOf =
        page.locator("#state").textContent() + " " + page.locator("#state").getAttribute("title");
    String at = asOf.substring(asOf.lastIndexOf(' ') + 1);
    assertThat(asOf)
        .startsWith(
            "as of "
                + Instant.parse(at)
                    .atZone(ZoneId.of("Asia/Kolkata"))
                    .format(DateTimeFormatter.ofPattern("HH:mm:ss")));

    DateTimeFormatter typed = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm");
    page.getByLabel("Search by").selectOption("at");
    page.getByLabel("Sequence, time or key").fill(there.minusMinutes(1).format(typed));
    button("Search").click();
    see("1 message; this is the end");
    page.getByLabel("Sequence, time or key").fill(there.plusMinutes(2).format(typed));
    button("Search").click();
    see("There is no message at or after that time.");

    open(server.port(), "#/queues/orders/subscribers/billing");
    button("Seek…").click();
    assertThat(page.locator("dialog")).containsText(named);
  }

  /** Rows of the stream with values that are rounded for people. */
  private static final String ROUNDED =
      """
      {"at":"2026-01-01T12:00:00Z","complete":true,"removed":[],"queues":[{"name":"orders","state":"RUNNING",
      "status":"UP","messages":1234567,"bytes":123456789,"diskFree":9876543210,"delayed":0,"lost":7654321,
      "backupFailures":0,"published":1234.5678,"acked":0.123456,"lag":7654321,"inFlight":123456,
      "oldestAgeMillis":98765432,"dead":345678,"subscribers":1,"paused":0,"consumers":1}],
      "subscribers":[{"queue":"orders","name":"billing","delivered":1234.5678,"acked":0.123456,
      "redelivered":2.3456,"lag":7654321,"inFlight":123456,"oldestAgeMillis":98765432,"dead":345678,
      "paused":false,"consumers":1}]}
      """
              .replace("\n", "")
          + "\n";

  /** Texts with a unit, or a fraction, that have no exact value for the pointer. */
  private static final String WITHOUT_EXACT =
      """
      () => [...document.querySelectorAll("main *")].filter((each) => each.childElementCount === 0
          && !each.closest(".uplot") && each.checkVisibility() && !each.closest("[title]:not([title=''])")
          && /(^|[^0-9A-Za-z:.-])<?[0-9][0-9.,]*( ?[KMBT]|\\/s| [KMGTP]?B| (s|min|h|d))($|[ ,])/.test(each.textContent))
        .map((each) => each.tagName + " " + each.textContent)
      """;

  private void assertExact(String text, String exact) {
    assertThat(
            page.locator("main")
                .getByTitle(exact, new Locator.GetByTitleOptions().setExact(true))
                .first())
        .hasText(text);
  }

  @Test
  void shouldShowTheExactValueOfWhatIsRoundedToAPointer() {
    start(RiverServer.builder().port(0));
    asked.put(ORDERS, "{\"recycle\":{\"messages\":1}}");
    asked.put(BILLING, "");
    asked.post(ORDERS + "/publish", "{\"base64\":\"" + "/w8A".repeat(50_000) + "\"}");
    asked.post(ORDERS + "/messages", "x".repeat(200_000));
    page.route(
        Pattern.compile("/v1/figures/stream"),
        route -> route.fulfill(new Route.FulfillOptions().setBody(ROUNDED)));
    open(server.port(), "#/");
    see("1 queue");
    assertExact("1.2M", "1,234,567");
    assertExact("1,235/s", "1234.5678 a second");
    assertExact("0.1/s", "0.123456 a second");
    assertExact("7.7M", "7,654,321");
    assertExact("1 d 3 h", "98,765,432 ms");
    assertExact("123.5K", "123,456");
    assertExact("345.7K", "345,678 waiting now");
    assertExact("118 MB", "123,456,789 bytes");
    assertExact("9.2 GB", "9,876,543,210 bytes");
    assertExact("7.7M lost", "7,654,321 lost");
    assertThat((List<?>) page.evaluate(WITHOUT_EXACT)).isEmpty();
    for (String hash : List.of("", "/messages", "/blocks", "/subscribers/billing")) {
      open(server.port(), "#/queues/orders" + hash);
      page.reload();
      see(
          hash.equals("/messages")
              ? "2 messages"
              : hash.equals("/blocks") ? "which are all" : "1,235/s");
      page.locator("summary").all().forEach(Locator::click);
      assertThat((List<?>) page.evaluate(WITHOUT_EXACT)).as(hash).isEmpty();
    }
  }

  @Test
  void shouldBeSmall() throws Exception {
    start(RiverServer.builder().port(0));
    Path all = directory.resolve("all");
    StringBuilder text = new StringBuilder(asked.get("/").body());
    open(server.port(), "#/");
    see("0 queues");
    List<?> files =
        (List<?>)
            page.evaluate(
                "performance.getEntriesByType('resource').map(r => new URL(r.name).pathname)"
                    + ".filter(path => path.startsWith('/console/'))");
    assertThat(files).hasSizeGreaterThan(10);
    files.forEach(file -> text.append(asked.get((String) file).body()));
    Files.writeString(all, text);
    Process gzip =
        new ProcessBuilder("gzip", "-9", all.toString()).redirectErrorStream(true).start();
    assertThat(gzip.waitFor()).isZero();
    assertThat(Files.size(directory.resolve("all.gz"))).isLessThan(100_000);
  }
}
