package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thousand clients that wait at a server process, and that process being restarted. */
@Timeout(300)
@Tag("full")
class StreamRestartTest {
  private static final int CLIENTS = 1_000;
  private static final int SUBSCRIBERS = 20;
  private static final int MESSAGES = 100; // between two restarts
  private static final String QUEUE = "/v1/queues/orders";
  private static final Duration LATE = Duration.ofMinutes(2);

  @TempDir Path directory;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Set<String>> received = new ArrayList<>();
  private final Set<String> published = ConcurrentHashMap.newKeySet();
  private ServerProcess server;
  private int port;
  private volatile boolean over;

  @BeforeEach
  void start() throws IOException {
    startAt(0);
    port = server.port();
    request("PUT", QUEUE, "").join();
    for (int i = 0; i < SUBSCRIBERS; i++) {
      received.add(ConcurrentHashMap.newKeySet());
      request("PUT", subscriber(i), "").join();
    }
  }

  private void startAt(int wanted) throws IOException {
    String data = directory.resolve("data").toString();
    server =
        new ServerProcess(
            directory, List.of("-Xmx256m"), "server", "--port=" + wanted, "--data=" + data);
  }

  @AfterEach
  void stop() {
    over = true;
    server.close();
  }

  private static String subscriber(int i) {
    return QUEUE + "/subscribers/s" + i;
  }

  private HttpRequest.Builder asked(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private CompletableFuture<HttpResponse<String>> request(String method, String path, String body) {
    HttpRequest request =
        asked(path).method(method, HttpRequest.BodyPublishers.ofString(body)).build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode get(String path) {
    return Contract.json(request("GET", path, "").join().body());
  }

  /** A client of server-sent events, which comes back when the server has asked it to. */
  private final class Client implements Flow.Subscriber<String> {
    private final int subscriber;
    private volatile long retryMillis = 3_000; // as browsers, until the server says otherwise

    Client(int subscriber) {
      this.subscriber = subscriber;
    }

    void connect() {
      HttpRequest stream =
          asked(subscriber(subscriber) + "/stream?credit=10")
              .header("Accept", "text/event-stream")
              .POST(HttpRequest.BodyPublishers.noBody())
              .build();
      var unused =
          http.sendAsync(stream, HttpResponse.BodyHandlers.fromLineSubscriber(this))
              .whenComplete((ended, broken) -> comeBack());
    }

    private void comeBack() {
      if (!over) {
        CompletableFuture.delayedExecutor(retryMillis, TimeUnit.MILLISECONDS)
            .execute(this::connect);
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(String line) {
      if (line.startsWith("retry: ")) {
        retryMillis = Long.parseLong(line.substring("retry: ".length()));
      } else if (line.startsWith("data: ")) {
        JsonNode delivery = Contract.json(line.substring("data: ".length()));
        received.get(subscriber).add(delivery.get("data").asText());
        var unused =
            request(
                "POST",
                subscriber(subscriber) + "/ack",
                "{\"receipts\":[" + delivery.get("receipt") + "]}");
      }
    }

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onComplete() {}
  }

  private long figure(String name) {
    return request("GET", "/metrics", "")
        .join()
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }

  private void awaitClients() {
    await().atMost(LATE).until(() -> figure("river_http_streams") == CLIENTS);
  }

  private void publish(int from) {
    for (int i = from; i < from + MESSAGES; i++) {
      String message = "message " + i;
      assertThat(request("POST", QUEUE + "/messages", message).join().statusCode()).isEqualTo(201);
      published.add(message);
    }
  }

  private void awaitAllReceived() {
    await()
        .atMost(LATE)
        .untilAsserted(
            () -> {
              for (int i = 0; i < SUBSCRIBERS; i++) {
                assertThat(received.get(i)).containsAll(published);
                assertThat(get(subscriber(i)).at("/stats/lag").asInt()).isZero();
              }
            });
  }

  @Test
  void shouldHaveAThousandStreamingClientsBackAfterRestartsAndLoseNothing() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      new Client(i % SUBSCRIBERS).connect();
    }
    awaitClients();
    publish(0);
    assertThat(server.terminate()).isEqualTo(143); // with some of them delivered
    startAt(port);
    publish(MESSAGES); // before all are back
    awaitClients();
    awaitAllReceived();

    publish(2 * MESSAGES);
    server.kill();
    startAt(port);
    awaitClients();
    publish(3 * MESSAGES);
    awaitAllReceived();
    assertThat(published).hasSize(4 * MESSAGES);
    over = true;
    assertThat(server.terminate()).isEqualTo(143);
    assertThat(server.errors()).doesNotContain("Exception", "OutOfMemory");
  }

  private CompletableFuture<Duration> timed(String path) {
    long begun = System.nanoTime();
    return request("POST", path, "")
        .thenApply(
            answer -> {
              assertThat(answer.statusCode()).isEqualTo(200);
              return Duration.ofNanos(System.nanoTime() - begun);
            });
  }

  private static Duration median(List<Duration> times) {
    Duration[] sorted = times.toArray(new Duration[0]);
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  @Test
  void shouldAnswerEmptyLongPollsWhenTheirTimeIsOverAndNotLater() {
    List<Duration> atOnce = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      atOnce.add(timed(subscriber(0) + "/deliveries").join());
    }
    assertThat(median(atOnce)).isLessThan(Duration.ofSeconds(1));

    Duration wait = Duration.ofSeconds(2);
    List<CompletableFuture<Duration>> polls = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      polls.add(timed(subscriber(i % SUBSCRIBERS) + "/deliveries?wait=2s"));
    }
    List<Duration> waited = polls.stream().map(CompletableFuture::join).toList();
    assertThat(waited).allMatch(time -> time.compareTo(wait) >= 0);
    assertThat(median(waited)).isLessThan(wait.multipliedBy(5));
  }

  @Test
  void shouldAnswerALongPollAsSoonAsAMessageIsThere() {
    List<Duration> woken = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      CompletableFuture<HttpResponse<String>> poll =
          request("POST", subscriber(0) + "/deliveries?wait=60s", "");
      await().until(() -> figure("river_http_polls") == 1);
      long begun = System.nanoTime();
      request("POST", QUEUE + "/messages", "m" + i).join();
      assertThat(poll.join().body()).contains("m" + i);
      woken.add(Duration.ofNanos(System.nanoTime() - begun));
    }
    assertThat(median(woken)).isLessThan(Duration.ofSeconds(1));
  }
}
