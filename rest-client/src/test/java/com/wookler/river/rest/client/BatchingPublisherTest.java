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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static ScriptedServer.Act cutting(int most) {
    return (request, socket) -> {
      if (request.body().length() > most) {
        ScriptedServer.reset(socket);
      } else {
        STORED.play(request, socket);
      }
    };
  }

  private static List<String> stored(ScriptedServer server, int most) {
    return server.requests.stream()
        .filter(request -> request.body().length() <= most)
        .map(BatchingPublisherTest::data)
        .flatMap(List::stream)
        .toList();
  }

  /** Something between client and server cuts what is larger than it likes. */
  @Test
  void shouldSendSmallerBatchesWhereLargeOnesAreCut() throws Exception {
    int most = 2_000;
    try (ScriptedServer first = new ScriptedServer(cutting(most));
        RiverClient client = RiverClient.builder(first.address()).build()) {
      List<CompletableFuture<Void>> all;
      try (BatchingPublisher publisher =
          client.queue("q").batching(settings(100, Duration.ofMillis(5), 1 << 20))) {
        all = IntStream.range(0, 300).mapToObj(i -> publisher.publish("m" + i)).toList();
      }
      assertThat(all).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
      assertThat(stored(first, most))
          .containsExactlyElementsOf(IntStream.range(0, 300).mapToObj(i -> "m" + i).toList());
      long cut = first.requests.stream().filter(one -> one.body().length() > most).count();
      assertThat(cut).as("it has learned").isLessThan(20);
    }
  }

  /** Only that one knows what it has stored of them. */
  @Test
  void shouldSendTheHalvesToTheSameServer() throws Exception {
    int most = 300;
    try (ScriptedServer first = new ScriptedServer(cutting(most));
        ScriptedServer second = new ScriptedServer(cutting(most));
        RiverClient client = RiverClient.builder(first.address(), second.address()).build()) {
      BatchingPublisher publisher =
          client.queue("q").batching(settings(8, Duration.ofMinutes(1), 1 << 20));
      List<CompletableFuture<Void>> all =
          IntStream.range(0, 8).mapToObj(i -> publisher.publish("m" + i)).toList();
      publisher.flush();
      assertThat(all).noneMatch(CompletableFuture::isCompletedExceptionally);
      List<ScriptedServer> used =
          List.of(first, second).stream().filter(one -> !one.requests.isEmpty()).toList();
      assertThat(used).hasSize(1);
      assertThat(stored(used.get(0), most)).hasSize(8).startsWith("m0").endsWith("m7");
      assertThat(used.get(0).requests.get(0).body()).contains("m0", "m7");
    }
  }

  @Test
  void shouldFailAllOfABatchInTheTimeOfOneWhereEachRequestIsCut() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.reset());
        RiverClient client =
            RiverClient.builder(server.address()).retryFor(Duration.ofMillis(700)).build()) {
      BatchingPublisher publisher =
          client.queue("q").batching(settings(64, Duration.ofMinutes(1), 1 << 20));
      List<CompletableFuture<Void>> all =
          IntStream.range(0, 64).mapToObj(i -> publisher.publish("m" + i)).toList();
      publisher.flush();
      assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
      assertThat(server.requests).hasSizeLessThan(64);
    }
  }

  @Test
  void shouldBeClosedByAnActionThatFollowsAResult() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.problem(401, "unauthorized"))) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      RiverClient client = RiverClient.builder(server.address()).build();
      BatchingPublisher publisher =
          client.queue("q").batching(settings(3, Duration.ofMinutes(5), 1 << 20));
      CompletableFuture<Void> closed = new CompletableFuture<>();
      all.add(publisher.publish("a"));
      var unused =
          all.get(0)
              .whenComplete(
                  (done, failure) -> {
                    publisher.close();
                    client.close();
                    closed.complete(null);
                  });
      all.add(publisher.publish("b"));
      all.add(publisher.publish("c"));
      closed.get(30, TimeUnit.SECONDS);
      await().until(() -> all.stream().allMatch(CompletableFuture::isCompletedExceptionally));
    }
  }

  @Test
  void shouldFailVeryManyBatchesThatWaitWhenTheClientIsClosed() throws Exception {
    int messages = 20_000;
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.silence())) {
      RiverClient client = RiverClient.builder(server.address()).build();
      BatchingPublisher publisher =
          client.queue("q").batching(settings(1, Duration.ZERO, 64 << 20));
      List<CompletableFuture<Void>> all =
          IntStream.range(0, messages).mapToObj(i -> publisher.publish("m" + i)).toList();
      await().until(() -> !server.requests.isEmpty());
      client.close();
      assertThat(all)
          .allSatisfy(
              one ->
                  assertThatThrownBy(() -> one.get(30, TimeUnit.SECONDS))
                      .hasCauseInstanceOf(ClientClosedException.class));
      assertThat(server.requests).hasSize(1);
    }
  }

  /** Publishes a message, and again whenever it has failed. */
  private static void publishAgain(BatchingPublisher publisher, AtomicInteger attempts) {
    attempts.incrementAndGet();
    var unused =
        publisher
            .publish("a")
            .whenComplete(
                (stored, failure) -> {
                  if (failure != null) {
                    publishAgain(publisher, attempts);
                  }
                });
  }

  @Test
  void shouldRefuseWhatAnActionPublishesAgainWhileTheClientIsClosed() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.silence())) {
      RiverClient client = RiverClient.builder(server.address()).build();
      BatchingPublisher publisher =
          client.queue("q").batching(settings(1, Duration.ZERO, 64 << 20));
      publishAgain(publisher, attempts);
      await().until(() -> !server.requests.isEmpty());
      client.close();
      await().until(() -> attempts.get() > 1);
      assertThat(attempts).hasValue(2);
    }
  }

  @Test
  void shouldStillWaitInCloseAfterAFlushWasInterrupted() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    ScriptedServer.Act late =
        (request, socket) -> {
          answer.await();
          STORED.play(request, socket);
        };
    try (ScriptedServer server = new ScriptedServer(late);
        RiverClient client = RiverClient.builder(server.address()).build()) {
      BatchingPublisher publisher =
          client.queue("q").batching(settings(3, Duration.ofMinutes(5), 1 << 20));
      CompletableFuture<Void> stored = publisher.publish("a");
      Thread.currentThread().interrupt();
      assertThatThrownBy(publisher::flush).isInstanceOf(CallInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(publisher::close);
      await().during(Duration.ofMillis(200)).until(() -> !closing.isDone());
      answer.countDown();
      closing.get(30, TimeUnit.SECONDS);
      assertThat(stored).isCompleted();
    }
  }
}
