package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatcherTest {
  private static <T> Batcher<T, String> batcher(
      Transport transport, CompletableFuture<List<String>> answer) {
    return batcher(transport, new Batcher.Limits(1, 1, Duration.ZERO, 10), answer);
  }

  private static <T> Batcher<T, String> batcher(
      Transport transport, Batcher.Limits limits, CompletableFuture<List<String>> answer) {
    return new Batcher<>(
        transport,
        limits,
        new Batcher.BatchSender<>() {
          @Override
          public CompletableFuture<List<String>> send(List<T> batch) {
            return answer;
          }

          @Override
          public Batcher.SplitMode onFailure(List<T> batch, Throwable failure) {
            return Batcher.SplitMode.FAIL;
          }
        });
  }

  private static Transport transport() {
    Duration some = Duration.ofSeconds(1);
    return new Transport(
        Servers.of(List.of("http://127.0.0.1:1")),
        new Transport.Settings(null, some, some, some, some, null));
  }

  @Test
  void shouldWaitForTheActionsOfEarlierBatchesWhenItIsFlushed() throws Exception {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> go = new CompletableFuture<>();
    try (Transport transport = transport()) {
      CompletableFuture<List<String>> answer = new CompletableFuture<>();
      Batcher<String, String> batcher = batcher(transport, answer);
      CompletableFuture<Void> first =
          batcher
              .add("a", 1)
              .thenAccept(
                  done -> {
                    begun.complete(null);
                    go.join();
                  });
      answer.complete(List.of("done"));
      begun.get(30, TimeUnit.SECONDS);
      CompletableFuture<String> second = batcher.add("b", 1);
      CompletableFuture<Void> flush = CompletableFuture.runAsync(batcher::flush);
      second.get(30, TimeUnit.SECONDS);
      await().during(Duration.ofMillis(200)).until(() -> !flush.isDone());
      assertThat(first).isNotDone();
      go.complete(null);
      flush.get(30, TimeUnit.SECONDS);
      assertThat(first).isCompleted();
    } finally {
      go.complete(null);
    }
  }

  @Test
  void shouldNotWaitForOneAnotherWhereEachIsFlushedByAnActionOfTheOther() throws Exception {
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    CyclicBarrier both = new CyclicBarrier(2);
    try (Transport transport = transport()) {
      Batcher<String, String> one = batcher(transport, answer);
      Batcher<String, String> other = batcher(transport, answer);
      CompletableFuture<Void> first = one.add("a", 1).thenAccept(done -> flush(other, both));
      CompletableFuture<Void> second = other.add("b", 1).thenAccept(done -> flush(one, both));
      answer.complete(List.of("done"));
      CompletableFuture.allOf(first, second).get(30, TimeUnit.SECONDS);
      await().until(() -> transport.completing().isEmpty());
    }
  }

  @Test
  void shouldFailWhatLingersWhenTheClientIsClosed() {
    Transport transport = transport();
    Batcher<String, String> batcher =
        batcher(
            transport,
            new Batcher.Limits(10, 10, Duration.ofMillis(300), 100),
            new CompletableFuture<>());
    CompletableFuture<String> lingering = batcher.add("a", 1);
    transport.close(); // which knows the publisher and the acknowledger, but no batcher
    assertThatThrownBy(() -> lingering.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
  }

  private static CompletableFuture<String> add(
      Batcher<Object, String> batcher, List<WeakReference<Object>> items) {
    Object item = new Object();
    items.add(new WeakReference<>(item));
    return batcher.add(item, 1);
  }

  @Test
  void shouldKeepNoItemThatHasAResultWhileAnActionBlocks() throws Exception {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> go = new CompletableFuture<>();
    try (Transport transport = transport()) {
      CompletableFuture<List<String>> answer = new CompletableFuture<>();
      Batcher<Object, String> batcher = batcher(transport, answer);
      List<WeakReference<Object>> items = new ArrayList<>();
      CompletableFuture<Void> first =
          add(batcher, items)
              .thenAccept(
                  done -> {
                    begun.complete(null);
                    go.join();
                  });
      answer.complete(List.of("done"));
      begun.get(30, TimeUnit.SECONDS);
      for (int i = 0; i < 100; i++) {
        add(batcher, items).get(30, TimeUnit.SECONDS);
      }
      await()
          .untilAsserted(
              () -> {
                System.gc();
                assertThat(items).allMatch(each -> each.get() == null);
              });
      assertThat(first).isNotDone();
      go.complete(null);
      batcher.flush();
      assertThat(first).isCompleted();
    } finally {
      go.complete(null);
    }
  }

  private static void flush(Batcher<String, String> batcher, CyclicBarrier both) {
    try {
      both.await(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    batcher.flush();
  }
}
