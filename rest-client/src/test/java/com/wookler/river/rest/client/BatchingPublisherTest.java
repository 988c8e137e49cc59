package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages collected to batches. */
@Timeout(120)
class BatchingPublisherTest {
  private static final ScriptedServer.Act STORED =
      (request, socket) ->
          ScriptedServer.write(
              socket, 201, "{\"first\":0,\"count\":" + request.body().lines().count() + "}");

  private static BatchingPublisher.Settings settings(int messages, Duration linger, long pending) {
    return new BatchingPublisher.Settings(messages, 256 << 10, linger, pending, Durability.MEMORY);
  }

  private static List<String> data(ScriptedServer.Request request) {
    return request
        .body()
        .lines()
        .map(line -> line.replaceAll(".*\"data\":\"([^\"]*)\".*", "$1"))
        .toList();
  }

  @Test
  void shouldKeepTheOrderAndLoseNothing(@TempDir Path directory) {
    try (RiverServer server = RiverServer.builder().port(0).directory(directory).start();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      try (BatchingPublisher publisher = client.queue("q").batching()) {
        IntStream.range(0, 5_000).forEach(i -> all.add(publisher.publish("m" + i)));
      }
      assertThat(all).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
      List<String> stored = new ArrayList<>();
      for (int from = 0; from < 5_000; from += 1_000) {
        client.queue("q").messages(from, 1_000).forEach(one -> stored.add(one.text()));
      }
      assertThat(stored)
          .containsExactlyElementsOf(IntStream.range(0, 5_000).mapToObj(i -> "m" + i).toList());
    }
  }

  @Test
  void shouldSendByCountAndByTimeAndByFlush() throws Exception {
    try (ScriptedServer server = new ScriptedServer(STORED);
        RiverClient client = RiverClient.builder(server.address()).build()) {
      BatchingPublisher slow =
          client.queue("q").batching(settings(3, Duration.ofMinutes(5), 1 << 20));
      var unusedA = slow.publish("a");
      var unusedB = slow.publish("b");
      await().during(Duration.ofMillis(100)).until(() -> server.requests.isEmpty());
      slow.publish("c").join();
      assertThat(data(server.requests.get(0))).containsExactly("a", "b", "c");
      var unusedD = slow.publish("d");
      slow.flush();
      assertThat(data(server.requests.get(1))).containsExactly("d");
      slow.flush();

      BatchingPublisher quick =
          client.queue("q").batching(settings(100, Duration.ofMillis(20), 1 << 20));
      var unusedE = quick.publish("e");
      quick.publish("f").join();
      assertThat(data(server.requests.get(2))).containsExactly("e", "f");
    }
  }

  @Test
  void shouldWaitForRoom() throws Exception {
    try (ScriptedServer server = new ScriptedServer(STORED);
        RiverClient client =
            RiverClient.builder(server.address()).timeout(Duration.ofMinutes(1)).build()) {
      CompletableFuture<Void> go = new CompletableFuture<>();
      server.then(
          (request, socket) -> {
            go.get();
            STORED.play(request, socket);
          });
      BatchingPublisher publisher = client.queue("q").batching(settings(1, Duration.ZERO, 2_000));
      var unusedX = publisher.publish("x".repeat(1_000));
      AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
      Thread waiting = new Thread(() -> next.set(publisher.publish("y".repeat(1_000))));
      waiting.start();
      await().until(() -> waiting.getState() == Thread.State.WAITING);
      Thread interrupted =
          new Thread(
              () ->
                  assertThatThrownBy(() -> publisher.publish("z".repeat(1_000)))
                      .isInstanceOf(CallInterruptedException.class));
      interrupted.start();
      await().until(() -> interrupted.getState() == Thread.State.WAITING);
      interrupted.interrupt();
      interrupted.join();
      go.complete(null);
      waiting.join();
      next.get().join();
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void shouldFailABadMessageAlone() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                (request, socket) -> {
                  if (request.body().contains("bad")) {
                    ScriptedServer.problem(400, "bad-request").play(request, socket);
                  } else {
                    STORED.play(request, socket);
                  }
                });
        RiverClient client = RiverClient.builder(server.address()).build()) {
      BatchingPublisher publisher =
          client.queue("q").batching(settings(8, Duration.ofMinutes(1), 1 << 20));
      List<CompletableFuture<Void>> all =
          IntStream.range(0, 8).mapToObj(i -> publisher.publish(i == 5 ? "bad" : "m" + i)).toList();
      publisher.flush();
      assertThat(all.get(5)).isCompletedExceptionally();
      assertThat(all.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(1);
      List<String> stored =
          server.requests.stream()
              .map(BatchingPublisherTest::data)
              .filter(batch -> !batch.contains("bad"))
              .flatMap(List::stream)
              .toList();
      assertThat(stored).containsExactly("m0", "m1", "m2", "m3", "m4", "m6", "m7");
    }
  }
}
