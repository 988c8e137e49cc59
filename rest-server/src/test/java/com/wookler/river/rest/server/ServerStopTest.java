package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server is stopped while many publish, wait and read. */
@Timeout(120)
class ServerStopTest {
  private static final int PUBLISHERS = 16;
  private static final int POLLS = 40;
  private static final int STREAMS = 10;
  private static final String QUEUE = "/v1/queues/orders";

  @TempDir Path directory;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean stopped = new AtomicBoolean();

  private RiverServer server() {
    return RiverServer.builder().port(0).directory(directory).start();
  }

  private static HttpRequest post(int port, String path, String body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .timeout(Duration.ofSeconds(60))
        .build();
  }

  /** One after the other, some as batches, until the server takes no more. */
  private void publish(int port, int publisher) {
    for (int i = 0; !stopped.get(); i++) {
      String message = publisher + "-" + i;
      String level = publisher % 2 == 0 ? "MEMORY" : "DISK";
      try {
        HttpResponse<String> answer =
            http.send(
                post(port, QUEUE + "/messages?durability=" + level, message),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 201) {
          acknowledged.add(message);
        } else {
          assertThat(answer.statusCode()).isEqualTo(503);
          return;
        }
      } catch (java.io.IOException e) {
        return; // the server listens no longer, or ended an idle connection: nothing was promised
      } catch (Exception | AssertionError e) {
        failures.add(e);
        return;
      }
    }
  }

  private List<Thread> publishers(int port) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < PUBLISHERS; i++) {
      int publisher = i;
      Thread thread = new Thread(() -> publish(port, publisher));
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  private CompletableFuture<HttpResponse<String>> poll(int port) {
    return http.sendAsync(
        post(port, "/v1/queues/quiet/subscribers/all/deliveries?create=true&wait=60s", ""),
        HttpResponse.BodyHandlers.ofString());
  }

  /** What a stream has brought until its end, which must be one of HTTP and no reset. */
  private CompletableFuture<String> stream(int port, int number) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:"
                        + port
                        + QUEUE
                        + "/subscribers/stream"
                        + number
                        + "/stream?create=true&credit=10000"))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
        .thenApplyAsync(ServerStopTest::all);
  }

  private static String all(HttpResponse<InputStream> answer) {
    try (InputStream body = answer.body()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void shouldEndPollsAndStreamsAndLoseNoAcknowledgedPublishWhenItStopsUnderLoad() throws Exception {
    RiverServer server = server();
    int port = server.port();
    List<Thread> publishers = publishers(port);
    List<CompletableFuture<HttpResponse<String>>> polls = new ArrayList<>();
    List<CompletableFuture<String>> streams = new ArrayList<>();
    for (int i = 0; i < POLLS; i++) {
      polls.add(poll(port));
    }
    for (int i = 0; i < STREAMS; i++) {
      streams.add(stream(port, i));
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> server.waiting() == POLLS + STREAMS && acknowledged.size() > 200);
    long begun = System.nanoTime();
    server.close();
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    stopped.set(true);
    for (Thread publisher : publishers) {
      publisher.join();
    }

    assertThat(failures).isEmpty();
    assertThat(took).isLessThan(Duration.ofSeconds(30)); // polls wait for a minute
    assertThat(polls)
        .allSatisfy(
            poll -> {
              assertThat(poll.join().statusCode()).isEqualTo(200);
              assertThat(poll.join().body()).isEqualTo("[]");
            });
    assertThat(streams)
        .allSatisfy(stream -> assertThat(stream.join()).satisfies(text -> wholeLines(text)));
    checkStored();
  }

  /** Those of a stream that began just before the stop are none. */
  private static void wholeLines(String text) {
    assertThat(text).matches(all -> all.isEmpty() || all.endsWith("\n"), "ends with a line");
    text.lines()
        .filter(line -> !line.isEmpty())
        .forEach(line -> assertThat(Contract.json(line).has("receipt")).isTrue());
  }

  /** What was acknowledged is there; what was not may be. And what streams had comes at once. */
  private void checkStored() {
    try (RiverServer again = server()) {
      Asked asked = new Asked(again);
      List<String> stored = new ArrayList<>();
      long next = asked.get(QUEUE).json().at("/stats/nextSequence").asLong();
      for (long from = 0; from < next; from += 1_000) {
        asked
            .get(QUEUE + "/messages?from=" + from + "&max=1000")
            .json()
            .get("messages")
            .forEach(message -> stored.add(message.get("data").asText()));
      }
      assertThat(stored).doesNotHaveDuplicates();
      assertThat(stored.containsAll(acknowledged)).isTrue();
      assertThat(asked.post(QUEUE + "/subscribers/stream0/deliveries?max=1", "").receipts())
          .hasSize(1);
    }
  }
}
