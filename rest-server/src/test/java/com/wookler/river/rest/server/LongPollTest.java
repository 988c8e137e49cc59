package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
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
  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Duration LATE = Duration.ofMillis(250); // of 99 of 100 of them
  private static final Duration USUALLY_LATE = Duration.ofMillis(50); // of half of them

  /** One of these has to be in time: what else the machine does is no matter of the server. */
  private static final int ROUNDS = 30;

  private static final Duration LOST = Duration.ofSeconds(10); // no answer is as late in any round

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
    assertThat(
            send("PUT", QUEUE + "/subscribers/billing", "{\"ackTimeout\":\"10m\"}")
                .join()
                .statusCode())
        .isEqualTo(201);
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

  /** The value at or below which a share of sorted values is. */
  private static Duration percentile(List<Duration> sorted, int percent) {
    return sorted.get((sorted.size() * percent + 99) / 100 - 1);
  }

  /** Repeats a round, which returns how late answers were, until one is in time. */
  private static void assertInTime(Supplier<List<Duration>> round) {
    List<String> late = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      List<Duration> times = round.get().stream().sorted().toList();
      assertThat(times).allMatch(each -> each.compareTo(LOST) < 0);
      Duration half = percentile(times, 50);
      Duration most = percentile(times, 99);
      if (half.compareTo(USUALLY_LATE) <= 0 && most.compareTo(LATE) <= 0) {
        return;
      }
      late.add("half " + half.toMillis() + " ms, 99 % " + most.toMillis() + " ms");
    }
    fail("No round was in time: %s", late);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, MANY})
  void shouldAnswerEmptyPollsWhenTheirTimeIsOver(int pollers) {
    assertInTime(
        () -> {
          List<Answer> answers =
              polls(pollers, WAIT.toSeconds() + "s").stream().map(CompletableFuture::join).toList();
          assertThat(answers).extracting(Answer::body).containsOnly("[]");
          List<Duration> late = answers.stream().map(each -> each.after().minus(WAIT)).toList();
          assertThat(late).noneMatch(Duration::isNegative);
          return late;
        });
  }

  @Test
  void shouldWakeOnePollForEachMessageAtOnce() {
    assertInTime(
        () -> {
          List<CompletableFuture<Answer>> waiting = waiting(MANY);
          List<Duration> late = new ArrayList<>();
          for (int i = 0; i < MANY; i++) {
            late.add(woken(waiting));
          }
          return late;
        });
  }

  @Test
  void shouldWakeTheOnlyPollAtOnce() {
    assertInTime(() -> IntStream.range(0, MANY).mapToObj(each -> woken(waiting(1))).toList());
  }

  /** Polls that wait at the server. */
  private List<CompletableFuture<Answer>> waiting(int count) {
    List<CompletableFuture<Answer>> polls = new ArrayList<>(polls(count, "60s"));
    await()
        .until(
            () ->
                send("GET", "/metrics", "")
                    .join()
                    .body()
                    .contains("\nriver_http_polls " + count + ".0\n"));
    return polls;
  }

  /** Publishes a message, and returns after which time one poll had it; which waits no longer. */
  private Duration woken(List<CompletableFuture<Answer>> waiting) {
    long begun = System.nanoTime();
    CompletableFuture<HttpResponse<String>> published = send("POST", QUEUE + "/messages", "order");
    CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new))
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    Duration after = Duration.ofNanos(System.nanoTime() - begun);
    assertThat(published.join().statusCode()).isEqualTo(201);
    List<CompletableFuture<Answer>> done =
        waiting.stream().filter(CompletableFuture::isDone).toList();
    assertThat(done).hasSize(1);
    assertThat(Contract.json(done.get(0).join().body())).hasSize(1);
    waiting.removeIf(CompletableFuture::isDone);
    return after;
  }
}
