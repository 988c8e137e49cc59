package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When polls are answered by a server process: those that find nothing when their time is over, and
 * those that wait when there is a message. The times are as a client sees them, and docs/rest.md
 * states them.
 */
@Timeout(180)
@Tag("full")
class LongPollTest {
  private static final int MANY = 200;
  private static final Duration WAIT = Duration.ofSeconds(2);
  private static final Duration LATE = Duration.ofSeconds(2); // of any of them
  private static final Duration USUALLY_LATE = Duration.ofMillis(500); // of half of them
  private static final String QUEUE = "/v1/queues/orders";
  private static final String DELIVERIES = QUEUE + "/subscribers/billing/deliveries?max=1&wait=";

  @TempDir Path directory;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private ServerProcess server;

  /** An answer, and how long after the request it was there. */
  private record Answer(String body, Duration after) {}

  @BeforeEach
  void start() throws IOException {
    String data = directory.resolve("data").toString();
    server =
        new ServerProcess(directory, List.of("-Xmx256m"), "server", "--port=0", "--data=" + data);
    assertThat(send("PUT", QUEUE, "").join().statusCode()).isEqualTo(201);
    assertThat(send("PUT", QUEUE + "/subscribers/billing", "").join().statusCode()).isEqualTo(201);
    polls(MANY, "10ms").forEach(CompletableFuture::join); // makes the connections
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private CompletableFuture<HttpResponse<String>> send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<Answer> poll(String wait) {
    long begun = System.nanoTime();
    return send("POST", DELIVERIES + wait, "")
        .thenApply(
            answer -> {
              assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
              return new Answer(answer.body(), Duration.ofNanos(System.nanoTime() - begun));
            });
  }

  private List<CompletableFuture<Answer>> polls(int count, String wait) {
    return IntStream.range(0, count).mapToObj(each -> poll(wait)).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, MANY})
  void shouldAnswerEmptyPollsWhenTheirTimeIsOver(int pollers) {
    List<Answer> answers =
        polls(pollers, WAIT.toSeconds() + "s").stream().map(CompletableFuture::join).toList();
    assertThat(answers).extracting(Answer::body).containsOnly("[]");
    List<Duration> times = answers.stream().map(Answer::after).sorted().toList();
    assertThat(times.get(0)).isGreaterThanOrEqualTo(WAIT);
    assertThat(times.get(pollers / 2)).isLessThan(WAIT.plus(USUALLY_LATE));
    assertThat(times.get(pollers - 1)).isLessThan(WAIT.plus(LATE));
  }

  @Test
  void shouldWakeOnePollForEachMessageAtOnce() throws Exception {
    List<CompletableFuture<Answer>> waiting = new ArrayList<>(polls(MANY, "60s"));
    await()
        .until(
            () -> send("GET", "/metrics", "").join().body().contains("river_http_polls " + MANY));
    long published = System.nanoTime();
    publish();
    CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(Duration.ofNanos(System.nanoTime() - published)).isLessThan(LATE);
    assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
    IntStream.range(1, MANY).forEach(each -> publish());
    List<String> receipts =
        waiting.stream()
            .map(CompletableFuture::join)
            .flatMap(answer -> Stream.of(Contract.json(answer.body())))
            .peek(deliveries -> assertThat(deliveries).hasSize(1))
            .map(deliveries -> deliveries.get(0).get("receipt").asText())
            .toList();
    assertThat(receipts).doesNotHaveDuplicates().hasSize(MANY);
  }

  private void publish() {
    assertThat(send("POST", QUEUE + "/messages", "order").join().statusCode()).isEqualTo(201);
  }
}
