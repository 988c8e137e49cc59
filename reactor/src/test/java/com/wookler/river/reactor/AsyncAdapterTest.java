package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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

  private AsyncStages<String> start(UnaryOperator<ProcessResult<String>> judge) {
    ReactorRuntime<String> runtime =
        new ReactorRuntime<>(subscriber, time, 10, false, FailurePolicies.NONE);
    adapter.startIn(runtime, judge);
    return runtime.asyncs().get(0);
  }

  /** Begins a message, and lets its stage take longer than the limit. */
  private AsyncStages<String> begin(UnaryOperator<ProcessResult<String>> judge) {
    AsyncStages<String> stages =
        start(
            result -> {
              judged.add(result);
              return judge.apply(result);
            });
    queue.publisher().publish("m0");
    Delivery<String> delivery = Objects.requireNonNull(subscriber.next());
    assertThat(adapter.process(List.of(delivery))).allMatch(ProcessResult::isLater);
    time.advance(LIMIT.multipliedBy(2));
    return stages;
  }

  @Test
  void shouldJudgeAStageOnceThatCompletesWhileItIsJudgedAsStuck() {
    AsyncStages<String> stages =
        begin(
            result -> {
              stage.complete(ProcessResult.done());
              return result;
            });
    assertThat(stages.takeStuck(LIMIT)).hasSize(1);
    assertThat(judged).hasSize(1).noneMatch(ProcessResult::isSuccess);
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldNotFindAStageStuckWhileItsResultIsJudged() {
    List<AsyncStages<String>> stages = new ArrayList<>();
    List<Delivery<String>> stuck = new ArrayList<>();
    stages.add(
        begin(
            result -> {
              stuck.addAll(stages.get(0).takeStuck(LIMIT));
              return result;
            }));
    stage.complete(ProcessResult.done());
    assertThat(stuck).isEmpty();
    assertThat(judged).hasSize(1).allMatch(ProcessResult::isSuccess);
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldNotJudgeALateResultOfAStageThatWasJudgedAsStuck() {
    AsyncStages<String> stages = begin(result -> result);
    assertThat(stages.takeStuck(LIMIT)).hasSize(1);
    stage.completeExceptionally(new IOException("late"));
    assertThat(judged).hasSize(1);
    assertThat(stages.takeStuck(LIMIT)).isEmpty();
    assertThat(stages.awaitEnd(0)).isTrue();
  }

  @Test
  void shouldFindOnSeveralThreadsAtOnceThatAllStagesHaveCompleted() throws Exception {
    AsyncStages<String> stages = start(result -> result);
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      Callable<Boolean> awaiting =
          () -> IntStream.range(0, 50_000).allMatch(i -> stages.awaitEnd(0));
      for (var each : threads.invokeAll(Collections.nCopies(16, awaiting))) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
