package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stages that complete at the moment at which they are found to take too long, or later. */
@Timeout(120)
class AsyncAdapterTest extends ReactorFixture {
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
  private final List<ProcessResult<String>> judged = new ArrayList<>();
  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final AsyncAdapter<String> adapter = new AsyncAdapter<>(delivery -> stage, true, 10);

  /** Begins a message, and lets its stage take longer than the limit. */
  private void begin(UnaryOperator<ProcessResult<String>> judge) throws Exception {
    ReactorRuntime<String> runtime =
        new ReactorRuntime<>(subscriber, time, 10, false, FailurePolicies.NONE);
    NestedProcessors.start(
        adapter,
        runtime,
        result -> {
          judged.add(result);
          return judge.apply(result);
        });
    queue.publisher().publish("m0");
    Delivery<String> delivery = Objects.requireNonNull(subscriber.next());
    assertThat(adapter.process(List.of(delivery))).allMatch(ProcessResult::isLater);
    time.advance(LIMIT.multipliedBy(2));
  }

  @Test
  void shouldJudgeAStageOnceThatCompletesWhileItIsJudgedAsStuck() throws Exception {
    begin(
        result -> {
          stage.complete(ProcessResult.done());
          return result;
        });
    assertThat(adapter.takeStuck(LIMIT)).hasSize(1);
    assertThat(judged).hasSize(1).noneMatch(ProcessResult::isSuccess);
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldNotFindAStageStuckWhileItsResultIsJudged() throws Exception {
    List<Delivery<String>> stuck = new ArrayList<>();
    begin(
        result -> {
          stuck.addAll(adapter.takeStuck(LIMIT));
          return result;
        });
    stage.complete(ProcessResult.done());
    assertThat(stuck).isEmpty();
    assertThat(judged).hasSize(1).allMatch(ProcessResult::isSuccess);
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldNotJudgeALateResultOfAStageThatWasJudgedAsStuck() throws Exception {
    begin(result -> result);
    assertThat(adapter.takeStuck(LIMIT)).hasSize(1);
    stage.completeExceptionally(new IOException("late"));
    assertThat(judged).hasSize(1);
    assertThat(adapter.takeStuck(LIMIT)).isEmpty();
    assertThat(adapter.awaitStages(0)).isTrue();
  }

  @Test
  void shouldFindOnSeveralThreadsAtOnceThatAllStagesHaveCompleted() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Callable<Boolean> awaiting =
          () -> IntStream.range(0, 50_000).allMatch(i -> adapter.awaitStages(0));
      for (var each : threads.invokeAll(List.of(awaiting, awaiting))) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
