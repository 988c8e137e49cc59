package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.processors.BatchingProcessor;
import com.wookler.river.reactor.processors.RetryProcessor;
import com.wookler.river.testing.MonitorXml;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the monitor reports of processors, by name. */
@Timeout(120)
class ProcessorCountersTest {
  private static final String ALL = "river.counters.processor";

  @TempDir Path directory;

  @BeforeEach
  void create() throws IOException {
    Env.reset();
    Env.create(MonitorXml.in(directory), "river");
  }

  @AfterEach
  void reset() {
    Env.reset();
  }

  private static ProcessResult<String> check(Delivery<String> delivery) throws IOException {
    return switch (delivery.data()) {
      case "bad" -> ProcessResult.reject("made by the test");
      case "worse" -> {
        if (delivery.attempt() == 1) {
          throw new IOException("made by the test");
        }
        yield ProcessResult.pass();
      }
      default -> ProcessResult.pass();
    };
  }

  private static long value(String namespace, String name) {
    return Monitor.get().counters().stream()
        .filter(line -> line.namespace().equals(namespace) && line.name().equals(name))
        .map(CounterReport::total)
        .mapToLong(total -> total instanceof Average time ? time.count() : total.value())
        .sum();
  }

  private static List<Long> values(String namespace) {
    return List.of("messages", "success", "failed", "exceptions", "time").stream()
        .map(name -> value(namespace, name))
        .toList();
  }

  /** Also through a processor that puts results off itself. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountTheResultsOfAnAsynchronousProcessorWithinAnother(boolean batching) {
    BatchProcessor<String> async =
        BatchProcessor.ofAsync(
            delivery -> {
              CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
              try {
                stage.complete(check(delivery));
              } catch (IOException e) {
                stage.completeExceptionally(e);
              }
              return stage;
            },
            10);
    BatchProcessor<String> retry =
        RetryProcessor.aroundBatches(async).trips(thrown -> false).build();
    try (MessageQueue<String> queue =
            MessageQueue.builder("nested", MessageConverter.utf8())
                .directory(directory.resolve("data"))
                .open();
        Subscriber<String> subscriber =
            queue.subscriber(SubscriberConfig.builder("nested").ack(true).build());
        Reactor<String> reactor =
            Reactor.builder(subscriber)
                .batchProcessor(
                    "check",
                    batching ? new BatchingProcessor<>(retry, 2, Duration.ofMillis(20)) : retry)
                .start()) {
      queue.publisher().publishAll(List.of("good", "bad", "worse", "fine"));
      await().atMost(Duration.ofSeconds(60)).until(() -> subscriber.stats().lag() == 0);
      assertThat(reactor.close(Duration.ofSeconds(20))).isTrue();
      assertThat(values(ALL + ".check")).containsExactly(5L, 3L, 2L, 1L, 5L);
      assertThat(values(ALL)).containsExactly(5L, 3L, 2L, 1L, 5L);
    }
  }

  @Test
  void shouldCountByTheNameOfEachProcessorAndInAll() {
    try (MessageQueue<String> queue =
            MessageQueue.builder("counted", MessageConverter.utf8())
                .directory(directory.resolve("data"))
                .open();
        Subscriber<String> subscriber =
            queue.subscriber(SubscriberConfig.builder("counted").ack(true).build());
        Reactor<String> reactor =
            Reactor.builder(subscriber)
                .processor("check", ProcessorCountersTest::check)
                .processor("store", delivery -> ProcessResult.done())
                .start()) {
      queue.publisher().publishAll(List.of("good", "bad", "worse", "fine"));
      await().atMost(Duration.ofSeconds(60)).until(() -> subscriber.stats().lag() == 0);
      assertThat(reactor.close(Duration.ofSeconds(20))).isTrue();
      assertThat(values(ALL + ".check")).containsExactly(5L, 3L, 2L, 1L, 5L);
      assertThat(values(ALL + ".store")).containsExactly(3L, 3L, 0L, 0L, 3L);
      assertThat(values(ALL)).containsExactly(8L, 6L, 2L, 1L, 8L);
    }
  }
}
