package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ProcessorInterceptorTest extends ReactorFixture {
  @Test
  void shouldRunAroundEachCallInTheOrderOfItsInterceptors() {
    queue.publisher().publish("m");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .around(
                (name, delivery, call) -> {
                  seen.add("outer " + name + " " + delivery.sequence());
                  ProcessResult<String> result = call.process(delivery);
                  seen.add("outer ended");
                  return result;
                })
            .around(
                (name, delivery, call) -> {
                  seen.add("inner " + name);
                  return call.process(delivery);
                })
            .processor("check", d -> ProcessResult.pass())
            .processor("store", this::see)
            .start()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isOne();
      assertThat(seen)
          .containsExactly(
              "outer check 0",
              "inner check",
              "outer ended",
              "outer store 0",
              "inner store",
              "m",
              "outer ended");
    }
  }

  @Test
  void shouldFailTheMessageWhereItThrows() {
    queue.publisher().publish("m");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .around(
                (name, delivery, call) -> {
                  if (delivery.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                  }
                  return call.process(delivery);
                })
            .processor(this::see)
            .start()) {
      await().until(() -> reactor.stats().finished() == 1);
      assertThat(reactor.stats().failed()).isOne();
    }
  }

  @Test
  void shouldRunAroundBatches() {
    queue.publisher().publish("m");
    ProcessorInterceptor<String> batches =
        new ProcessorInterceptor<>() {
          @Override
          public ProcessResult<String> around(
              String processor, Delivery<String> delivery, Processor<String> call) {
            throw new AssertionError("not a single one");
          }

          @Override
          public List<ProcessResult<String>> aroundBatch(
              String processor, List<Delivery<String>> batch, BatchProcessor<String> call)
              throws Exception {
            seen.add(processor + " " + batch.size());
            return call.process(batch);
          }
        };
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .around(batches)
            .around(batches)
            .batchProcessor("all", batch -> batch.stream().map(this::see).toList())
            .start()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isOne();
      assertThat(seen).containsExactly("all 1", "all 1", "m");
    }
  }

  @Test
  void shouldBeAroundTheStageOfAnAsynchronousProcessor() {
    queue.publisher().publish("m");
    CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .around(stages("outer"))
            .around(stages("inner"))
            .asyncProcessor(
                "send",
                d -> {
                  seen.add(d.data());
                  return stage;
                },
                1)
            .start()) {
      await().until(() -> seen.size() == 3);
      assertThat(seen).containsExactly("outer send", "inner send", "m");
      stage.complete(ProcessResult.done());
      await().until(() -> reactor.stats().finished() == 1);
      assertThat(seen).endsWith("inner ended", "outer ended").hasSize(5);
    }
  }

  private ProcessorInterceptor<String> stages(String id) {
    return new ProcessorInterceptor<>() {
      @Override
      public ProcessResult<String> around(
          String processor, Delivery<String> delivery, Processor<String> call) throws Exception {
        return call.process(delivery);
      }

      @Override
      public CompletionStage<ProcessResult<String>> aroundAsync(
          String processor, Delivery<String> delivery, AsyncProcessor<String> call)
          throws Exception {
        seen.add(id + " " + processor);
        return call.process(delivery).whenComplete((result, e) -> seen.add(id + " ended"));
      }
    };
  }
}
