package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.Defaults;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.Latencies;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.QueueMetrics;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SeriesLimiter;
import com.wookler.river.rest.server.hosting.SnapshotDirectory;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus is told. */
@Timeout(60)
class MetricsTest {
  private static final List<String> NONE = List.of();
  private static final String BILLING = "/v1/queues/orders/subscribers/billing";
  private static final String OF_BILLING = "{queue=\"orders\",subscriber=\"billing\"} ";

  @TempDir Path directory;

  private RiverServer server;
  private Asked asked;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory.resolve("data")).start();
    asked = new Asked(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private List<String> lines() {
    return asked.get("/metrics").body().lines().toList();
  }

  private double value(String series) {
    return lines().stream()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElse(-1);
  }

  @Test
  void shouldTellWhereQueuesAndSubscribersStand() {
    asked.put(BILLING, "{\"maxDeliveries\":2,\"backoff\":{\"fixed\":\"0s\"}}");
    for (int i = 0; i < 5; i++) {
      asked.post("/v1/queues/orders/messages", "order " + i);
    }
    List<String> taken = asked.post(BILLING + "/deliveries?create=true&max=4", "").receipts();
    asked.post(BILLING + "/ack", "{\"receipts\":[\"" + taken.get(0) + "\"]}");
    asked.post(BILLING + "/nack", "{\"receipts\":[\"" + taken.get(1) + "\"]}");
    asked.post(BILLING + "/reject", "{\"reason\":\"no\",\"receipts\":[\"" + taken.get(2) + "\"]}");
    asked.post(BILLING + "/deliveries?max=1", "");

    assertThat(lines())
        .contains(
            "river_queue_up{queue=\"orders\"} 1.0",
            "river_queue_depth{queue=\"orders\"} 5.0",
            "river_queue_published_total{queue=\"orders\"} 5.0",
            "river_queue_lost_messages_total{queue=\"orders\"} 0.0",
            "river_queue_discarded_total{queue=\"orders\"} 0.0",
            "river_subscriber_lag" + OF_BILLING + "3.0",
            "river_subscriber_in_flight" + OF_BILLING + "2.0",
            "river_subscriber_delivered_total" + OF_BILLING + "5.0",
            "river_subscriber_acknowledged_total" + OF_BILLING + "1.0",
            "river_subscriber_redelivered_total" + OF_BILLING + "1.0",
            "river_subscriber_dead_total" + OF_BILLING + "1.0",
            "river_subscriber_dead_dropped_total" + OF_BILLING + "0.0",
            "river_subscriber_expired_total" + OF_BILLING + "0.0",
            "river_subscriber_filtered_total" + OF_BILLING + "0.0",
            "river_publish_seconds_count{queue=\"orders\"} 5",
            "river_deliver_seconds_count" + OF_BILLING + "4",
            "# TYPE river_publish_seconds histogram",
            "# TYPE river_subscriber_dead_total counter");
    assertThat(value("river_subscriber_oldest_age_seconds" + OF_BILLING)).isGreaterThan(0);
    assertThat(value("river_queue_disk_bytes{queue=\"orders\"} ")).isGreaterThan(0);
    assertThat(value("river_queue_disk_free_bytes{queue=\"orders\"} ")).isGreaterThan(0);
  }

  @Test
  void shouldCountWhatStreamsHandOver() throws IOException {
    asked.post("/v1/queues/orders/messages", "order");
    asked.put(BILLING, "{\"start\":{\"to\":\"EARLIEST\"}}");
    try (Socket stream = asked.connect()) {
      stream
          .getOutputStream()
          .write(
              Asked.head(
                      "POST " + BILLING + "/stream HTTP/1.1",
                      "Host: localhost",
                      "Content-Length: 0")
                  .getBytes(StandardCharsets.UTF_8));
      await().until(() -> value("river_deliver_seconds_count" + OF_BILLING) == 1);
      assertThat(value("river_http_streams ")).isEqualTo(1);
      assertThat(value("river_http_polls ")).isZero();
    }
    await().until(() -> value("river_http_streams ") == 0);
  }

  @Test
  void shouldTellWhatTheServerDoes() {
    asked.get("/v1/queues/none");
    asked.send("PATCH", "/v1/queues/none/messages", "");
    asked.raw("what is this\r\n\r\n");
    asked.get("/nothing");
    var poll = asked.later("POST", BILLING + "/deliveries?create=true&wait=50s", "");
    await().until(() -> value("river_http_polls ") == 1);
    asked.post("/v1/queues/orders/messages", "x");
    poll.join();
    await().until(() -> value("river_http_polls ") == 0);

    assertThat(lines())
        .contains(
            counted("GET", "/v1/queues/{queue}", "404", 1),
            counted("POST", "/v1/queues/{queue}/subscribers/{subscriber}/deliveries", "200", 1),
            counted("POST", "/v1/queues/{queue}/messages", "201", 1),
            counted("(none)", "(none)", "404", 1),
            counted("(none)", "(none)", "405", 1),
            counted("(none)", "(none)", "400", 1),
            "river_http_requests_under_way 1.0",
            "river_http_connections_refused_total 0.0");
    assertThat(value("river_http_connections ")).isGreaterThan(0);
    assertThat(lines())
        .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
        .anyMatch(line -> line.startsWith("process_cpu_usage "))
        .anyMatch(line -> line.startsWith("process_files_open_files "));
  }

  private static String counted(String method, String route, String status, int times) {
    return "river_http_requests_total{method=\""
        + method
        + "\",route=\""
        + route
        + "\",status=\""
        + status
        + "\"} "
        + times
        + ".0";
  }

  @Test
  void shouldSpeakAsItIsAsked() {
    asked.post("/v1/queues/orders/messages", "x");
    HttpResponse<String> open =
        asked.send("GET", "/metrics", "", "Accept", "application/openmetrics-text").http();

    assertThat(open.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/openmetrics-text");
    assertThat(open.body()).endsWith("# EOF\n");
    assertThat(asked.get("/metrics").header("Content-Type")).startsWith("text/plain");
  }

  @Test
  void shouldForgetWhoIsGone() {
    asked.put(BILLING, "");
    asked.post("/v1/queues/orders/messages", "x");
    asked.post(BILLING + "/deliveries?create=true", "");
    assertThat(asked.get("/metrics").body()).contains("\"orders\"", "\"billing\"");
    asked.delete(BILLING);
    assertThat(asked.get("/metrics").body()).contains("\"orders\"").doesNotContain("\"billing\"");
    asked.delete("/v1/queues/orders?force=true");

    assertThat(asked.get("/metrics").body()).doesNotContain("\"orders\"");
  }

  /** Its filter is code of the application, which has not opened it yet. */
  @Test
  void shouldTellOfAllSubscribersButTheOneThatCannotBeOpened() {
    try (MessageQueue<String> queue = shop()) {
      queue.subscriber(SubscriberConfig.builder("audit").filter(message -> true).build());
      queue.subscriber("billing");
      queue.publisher().publish("x");
    }
    stop();
    try (MessageQueue<String> queue = shop()) {
      server =
          RiverServer.builder()
              .port(0)
              .directory(directory.resolve("data"))
              .queue(queue, MessageConverter.utf8())
              .start();
      asked = new Asked(server);

      assertThat(lines())
          .contains("river_subscriber_lag{queue=\"shop\",subscriber=\"billing\"} 1.0");
      stop();
    }
  }

  private MessageQueue<String> shop() {
    return MessageQueue.builder("shop", MessageConverter.utf8())
        .directory(directory.resolve("shops"))
        .open();
  }

  @Test
  void shouldShowAKeyNoFiguresOfOtherQueues() {
    asked.post("/v1/queues/orders/messages", "x");
    asked.post("/v1/queues/other/messages", "x");
    stop();
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    String all = file.add("prometheus", NONE, NONE, NONE, List.of("*")).text();
    String one = file.add("one", NONE, List.of("orders"), NONE, NONE).text();
    String none = file.add("none", List.of("orders"), NONE, NONE, NONE).text();
    server =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("data"))
            .keys(file.path())
            .start();
    asked = new Asked(server);
    with(all, "POST", "/v1/queues/orders/messages", 403);
    with(all, "POST", BILLING + "/deliveries", 403);
    with(none, "POST", "/v1/queues/orders/messages", 201);

    assertThat(asked.get("/metrics").status()).isEqualTo(401);
    assertThat(with(all, "GET", "/metrics", 200)).contains("\"orders\"", "\"other\"");
    assertThat(with(one, "GET", "/metrics", 200))
        .contains("\"orders\"")
        .doesNotContain("\"other\"");
    assertThat(with(none, "GET", "/metrics", 200))
        .contains("river_http_connections")
        .doesNotContain("\"orders\"");
  }

  private String with(String key, String method, String path, int status) {
    Asked.Reply reply = asked.send(method, path, "", "Authorization", "Bearer " + key);
    assertThat(reply.status()).as(path).isEqualTo(status);
    return reply.body();
  }

  /** However many queues somebody makes, there are so many series; the rest is one. */
  @Test
  void shouldSumUpWhatIsBeyondTheLimit() throws IOException {
    try (QueueCatalog catalog =
        new QueueCatalog(directory.resolve("many"), null, SnapshotDirectory.NONE, Defaults.NONE)) {
      SeriesLimiter queues = new SeriesLimiter(2);
      SeriesLimiter subscribers = new SeriesLimiter(1);
      Latencies latencies = new Latencies(TimeSource.system(), queues, subscribers);
      for (String name : List.of("a", "b", "c", "d")) {
        HostedQueue<?> queue = catalog.getOrCreate(name, QueueOptions.TABLE.defaults()).queue();
        publish(queue);
        publish(queue);
        latencies.published(name, latencies.now());
        queue.getOrCreate(HostedQueue.subscriber("s", SubscriberOptions.TABLE.defaults()));
      }
      QueueMetrics figures = new QueueMetrics(catalog, queues, subscribers, latencies);
      String all = text(figures, Access.ALL);

      assertThat(all.lines())
          .contains(
              "river_queue_depth{queue=\"a\"} 2.0",
              "river_queue_depth{queue=\"b\"} 2.0",
              "river_queue_depth{queue=\"(others)\"} 4.0",
              "river_queue_up{queue=\"(others)\"} 1.0",
              "river_publish_seconds_count{queue=\"(others)\"} 2",
              "river_subscriber_lag{queue=\"a\",subscriber=\"s\"} 2.0",
              "river_subscriber_lag{queue=\"(others)\",subscriber=\"(others)\"} 6.0");
      assertThat(Pattern.compile("queue=\"[cd]\"").matcher(all).find()).isFalse();
      catalog.delete(catalog.find("a"), true);
      assertThat(text(figures, Access.ALL).lines())
          .contains(
              "river_queue_depth{queue=\"c\"} 2.0", "river_queue_depth{queue=\"(others)\"} 2.0")
          .noneMatch(line -> line.contains("\"a\""));
      assertThat(text(figures, only("b"))).contains("\"b\"").doesNotContain("(others)");
    }
  }

  private static <M> void publish(HostedQueue<M> queue) {
    queue.queue().publisher().publish(queue.message(Message.of(new byte[] {1})).data());
  }

  private static Access only(String name) {
    return new Access() {
      @Override
      public boolean allows(Right right, String queue) {
        return queue.equals(name);
      }

      @Override
      public RequestException denial(Right right, String queue) {
        throw new UnsupportedOperationException();
      }

      @Override
      public List<String> queues(Right right) {
        return List.of();
      }

      @Override
      public String id() {
        return "";
      }

      @Override
      public String name() {
        return "";
      }
    };
  }

  private static String text(QueueMetrics figures, Access access) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, new MetricSnapshots(figures.collect(access)));
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The page names all that there is, and nothing else. */
  @Test
  void shouldNameItsFiguresOnThePage() throws IOException {
    asked.put(BILLING, "");
    asked.post("/v1/queues/orders/messages", "x");
    asked.post(BILLING + "/deliveries?create=true", "");
    String page = Files.readString(Path.of("..", "docs", "rest.md"));
    List<String> documented =
        Pattern.compile("\\| `(river_\\w+)` \\|")
            .matcher(page)
            .results()
            .map(found -> found.group(1))
            .sorted()
            .toList();

    assertThat(
            lines().stream()
                .filter(line -> line.startsWith("# TYPE river_"))
                .map(line -> line.split(" ", -1)[2])
                .sorted()
                .toList())
        .isEqualTo(documented);
  }
}
