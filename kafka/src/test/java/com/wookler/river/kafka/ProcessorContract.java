package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.reactor.DeliverySource;
import com.wookler.river.reactor.DeliverySource.Capability;
import com.wookler.river.reactor.FailurePolicy;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** What processors may rely on, whatever their reactor's messages come from. */
@Timeout(120)
abstract class ProcessorContract {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private String name;

  @BeforeEach
  void name(TestInfo test) {
    name = getClass().getSimpleName() + "-" + test.getTestMethod().orElseThrow().getName();
  }

  /** Returns a new source from the beginning, whose name is unique. */
  abstract DeliverySource<String> source(String unique) throws Exception;

  abstract void publish(String key, List<String> texts) throws Exception;

  /** Returns texts and reasons of the dead letters. */
  abstract Map<String, String> deadLetters() throws Exception;

  private DeliverySource<String> source() throws Exception {
    return source(name);
  }

  private void publish(String... texts) throws Exception {
    publish(null, List.of(texts));
  }

  private static String[] numbers(int count) {
    return IntStream.range(0, count).mapToObj(n -> "m" + n).toArray(String[]::new);
  }

  private void awaitSeen(int number) {
    await().atMost(PATIENCE).until(() -> seen.size() >= number);
  }

  private static void awaitFinished(Reactor<?> reactor, long number) {
    await().atMost(PATIENCE).until(() -> reactor.stats().finished() >= number);
  }

  @Test
  void shouldProcessEachMessage() throws Exception {
    DeliverySource<String> source = source();
    publish("k", List.of(numbers(50)));
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  assertThat(each.attempt()).isEqualTo(1);
                  assertThat(each.key()).isEqualTo("k");
                  assertThat(each.bytes()).isEqualTo(each.data().getBytes(StandardCharsets.UTF_8));
                  assertThat(each.publishedAt()).isNotNull();
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .start()) {
      awaitFinished(reactor, 50);
    }
    assertThat(seen).containsExactlyInAnyOrder(numbers(50));
    assertThat(deadLetters()).isEmpty();
  }

  @Test
  void shouldNotProcessAgainWhatWasAcknowledged() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(20));
    for (int run = 0; run < 2; run++) {
      try (Reactor<String> reactor =
          Reactor.builder(source)
              .processor(
                  each -> {
                    seen.add(each.data());
                    return ProcessResult.ack();
                  })
              .start()) {
        awaitFinished(reactor, run == 0 ? 20 : 1);
      }
      if (run == 0) {
        publish("last");
      }
    }
    assertThat(seen).hasSize(21).doesNotHaveDuplicates();
  }

  @Test
  void shouldDeliverAgainWhatIsToBeRetriedOrFails() throws Exception {
    DeliverySource<String> source = source();
    publish("retried", "fails", "fine");
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  seen.add(each.data() + each.attempt());
                  if (each.attempt() == 1 && each.data().equals("retried")) {
                    return ProcessResult.retry();
                  }
                  if (each.attempt() == 1 && each.data().equals("fails")) {
                    throw new IllegalStateException("the first time");
                  }
                  return ProcessResult.ack();
                })
            .start()) {
      awaitFinished(reactor, 3);
      assertThat(reactor.stats().retried()).isEqualTo(1);
      assertThat(reactor.stats().failed()).isEqualTo(1);
    }
    assertThat(seen).containsExactlyInAnyOrder("retried1", "fails1", "fine1", "retried2", "fails2");
  }

  @Test
  void shouldKeepWhatIsRejectedAsADeadLetter() throws Exception {
    DeliverySource<String> source = source();
    publish("bad", "worse", "good");
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  if (each.data().equals("worse")) {
                    throw new IllegalArgumentException("worse than bad");
                  }
                  return each.data().equals("bad")
                      ? ProcessResult.reject("it is bad")
                      : ProcessResult.ack();
                })
            .onFailure(IllegalArgumentException.class, FailurePolicy.REJECT)
            .start()) {
      await().atMost(PATIENCE).until(() -> reactor.stats().finished() == 1);
      await().atMost(PATIENCE).until(() -> deadLetters().size() == 2);
    }
    assertThat(deadLetters().get("bad")).contains("it is bad");
    assertThat(deadLetters().get("worse")).contains("worse than bad");
  }

  @Test
  void shouldCountWhatBecomesOfMessages() throws Exception {
    DeliverySource<String> source = source();
    publish("a", "b", "c");
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each ->
                    switch (each.data()) {
                      case "a" -> ProcessResult.reject("no");
                      case "b" -> each.attempt() == 1 ? ProcessResult.retry() : ProcessResult.ack();
                      default -> ProcessResult.ack();
                    })
            .start()) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                SubscriberStats stats = reactor.subscriber().stats();
                return stats.acked() == 2 && stats.dead() == 1 && stats.lag() <= 0;
              });
      SubscriberStats stats = reactor.subscriber().stats();
      assertThat(stats.delivered()).isEqualTo(4);
      assertThat(stats.redelivered()).isEqualTo(1);
      assertThat(stats.inFlight()).isZero();
      assertThat(stats.lag()).isEqualTo(tellsLag() ? 0 : SubscriberStats.UNKNOWN);
    }
  }

  /** Returns whether the source says how many messages wait. */
  boolean tellsLag() {
    return true;
  }

  @Test
  void shouldProcessBatches() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(100));
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .batchProcessor(
                "batches",
                batch -> {
                  assertThat(batch).hasSizeLessThanOrEqualTo(30);
                  List<ProcessResult<String>> results = new ArrayList<>();
                  for (Delivery<String> each : batch) {
                    boolean again = each.attempt() == 1 && each.data().endsWith("7");
                    seen.add(each.data() + (again ? "again" : ""));
                    results.add(again ? ProcessResult.retry() : ProcessResult.pass());
                  }
                  return results;
                })
            .batchSize(30)
            .start()) {
      awaitFinished(reactor, 100);
    }
    assertThat(seen).hasSize(110).contains(numbers(100)).contains("m7again", "m97again");
  }

  @Test
  void shouldProcessOnSeveralThreadsAndOnAnExecutor() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(40));
    var pool = Executors.newFixedThreadPool(2);
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .threads(2)
            .executor(pool)
            .batchSize(3)
            .start()) {
      awaitFinished(reactor, 40);
    } finally {
      pool.shutdown();
    }
    assertThat(seen).containsExactlyInAnyOrder(numbers(40));
  }

  @Test
  void shouldTakeAcknowledgementsFromOtherThreads() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(10));
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .asyncProcessor(
                "async",
                each ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          seen.add(each.data());
                          return ProcessResult.ack();
                        }),
                10)
            .start()) {
      awaitFinished(reactor, 10);
    }
    assertThat(seen).containsExactlyInAnyOrder(numbers(10));
  }

  @Test
  void shouldPassFiltersReplacementsAndChains() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(10));
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .filter(each -> !each.data().equals("m3"))
            .processor(each -> ProcessResult.pass(Message.of(each.data() + "!")))
            .processor(
                each -> {
                  seen.add(each.data());
                  return ProcessResult.pass();
                })
            .start()) {
      awaitFinished(reactor, 10);
    }
    assertThat(seen).hasSize(9).contains("m0!", "m9!").doesNotContain("m3!");
  }

  @Test
  void shouldGiveBackWhatWasNotProcessedWhenItIsClosed() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(20));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Reactor<String> first =
        Reactor.builder(source)
            .processor(
                each -> {
                  begun.countDown();
                  end.await();
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .batchSize(1)
            .start();
    begun.await();
    CompletableFuture<Boolean> closed =
        CompletableFuture.supplyAsync(() -> first.close(Duration.ofSeconds(30)));
    await().atMost(PATIENCE).until(() -> !first.isRunning());
    end.countDown();
    assertThat(closed.get()).isTrue();
    int before = seen.size();
    assertThat(before).isLessThan(20);
    try (Reactor<String> second =
        Reactor.builder(source)
            .processor(
                each -> {
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .start()) {
      awaitFinished(second, 20 - before);
    }
    assertThat(seen).containsExactlyInAnyOrder(numbers(20));
  }

  @Test
  void shouldKeepAMessageWhileItIsProcessed() throws Exception {
    DeliverySource<String> source = source();
    Reactor.Builder<String> builder =
        Reactor.builder(source)
            .processor(
                each -> {
                  seen.add(each.data());
                  if (each.data().equals("slow")) {
                    CompletableFuture<Void> time = new CompletableFuture<>();
                    time.completeOnTimeout(null, 5, TimeUnit.SECONDS).join();
                  }
                  return ProcessResult.ack();
                });
    try (Reactor<String> one = builder.start();
        Reactor<String> other = builder.start()) { // which would get it, were it not kept
      publish("slow");
      await().atMost(PATIENCE).until(() -> one.stats().finished() + other.stats().finished() == 1);
      assertThat(one.stats().late() + other.stats().late()).isZero();
    }
    try (Reactor<String> later = builder.start()) {
      publish("last");
      awaitFinished(later, 1);
    }
    assertThat(seen).containsExactly("slow", "last");
  }

  @Test
  void shouldStopAndContinue() throws Exception {
    DeliverySource<String> source = source();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .start()) {
      publish("a");
      awaitSeen(1);
      reactor.pause();
      publish("b");
      await() // longer than a lock, and than a member of a group may be silent
          .during(Duration.ofSeconds(6))
          .atMost(PATIENCE)
          .until(() -> seen.size() == 1);
      reactor.resume();
      awaitSeen(2);
    }
    assertThat(seen).containsExactly("a", "b");
  }

  @Test
  void shouldKeepTheOrderOfAKeyOrRefuseTo() throws Exception {
    DeliverySource<String> source = source();
    Reactor.Builder<String> builder =
        Reactor.builder(source)
            .processor(
                each -> {
                  if (each.attempt() == 1 && each.data().equals("a2")) {
                    return ProcessResult.retry(Duration.ofMillis(300));
                  }
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .threads(2)
            .batchSize(10)
            .orderBy(Order.KEY);
    if (!source.capabilities().contains(Capability.KEY_ORDER)) {
      assertThatThrownBy(builder::start)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("orderBy")
          .hasMessageContaining("KafkaGroup");
      return;
    }
    publish("a", List.of("a1", "a2", "a3"));
    publish("b", List.of("b1", "b2", "b3"));
    try (Reactor<String> reactor = builder.start()) {
      awaitFinished(reactor, 6);
    }
    assertThat(seen.stream().filter(each -> each.startsWith("a")))
        .containsExactly("a1", "a2", "a3");
    assertThat(seen.stream().filter(each -> each.startsWith("b")))
        .containsExactly("b1", "b2", "b3");
    assertThat(seen.indexOf("b3")).isLessThan(seen.indexOf("a2"));
  }

  @Test
  void shouldWaitBeforeARetry() throws Exception {
    DeliverySource<String> source = source();
    publish("m");
    Map<Integer, Long> at = new ConcurrentHashMap<>();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  at.put(each.attempt(), System.nanoTime());
                  return each.attempt() == 1
                      ? ProcessResult.retry(Duration.ofSeconds(1))
                      : ProcessResult.ack();
                })
            .start()) {
      awaitFinished(reactor, 1);
    }
    assertThat(Duration.ofNanos(at.get(2) - at.get(1))).isGreaterThan(Duration.ofMillis(900));
  }

  @Test
  void shouldReleaseAndHoldBack() throws Exception {
    DeliverySource<String> source = source();
    publish("m");
    Map<Integer, Long> at = new ConcurrentHashMap<>();
    AtomicInteger calls = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  int call = calls.incrementAndGet();
                  at.put(call, System.nanoTime());
                  assertThat(each.attempt()).isEqualTo(1);
                  return call <= 7 // more often than a share group delivers a message
                      ? ProcessResult.holdBack(Duration.ofMillis(call == 1 ? 1_000 : 100))
                      : ProcessResult.ack();
                })
            .start()) {
      awaitFinished(reactor, 1);
      assertThat(reactor.stats().released()).isEqualTo(7);
    }
    assertThat(Duration.ofNanos(at.get(2) - at.get(1))).isGreaterThan(Duration.ofMillis(900));
    assertThat(deadLetters()).isEmpty();
  }

  @Test
  void shouldLoseNothingWhenItIsPaused() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(200));
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  assertThat(each.attempt()).isEqualTo(1);
                  seen.add(each.data());
                  return ProcessResult.ack();
                })
            .batchSize(5)
            .threads(2)
            .start()) {
      for (int i = 0; i < 5; i++) {
        awaitSeen(i * 30);
        reactor.pause();
        reactor.resume();
      }
      awaitFinished(reactor, 200);
    }
    assertThat(seen).containsExactlyInAnyOrder(numbers(200));
  }

  @Test
  void shouldSelectAProcessorForEachMessage() throws Exception {
    DeliverySource<String> source = source();
    publish(numbers(20));
    List<String> odd = Collections.synchronizedList(new ArrayList<>());
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .select(
                Selector.<String>create()
                    .when(
                        each -> each.data().matches(".*[13579]"),
                        "odd",
                        each -> {
                          odd.add(each.data());
                          return ProcessResult.ack();
                        })
                    .otherwise(
                        "even",
                        each -> {
                          seen.add(each.data());
                          return ProcessResult.ack();
                        }))
            .start()) {
      awaitFinished(reactor, 20);
    }
    assertThat(odd).hasSize(10).contains("m1", "m19");
    assertThat(seen).hasSize(10).contains("m0", "m18");
  }
}
