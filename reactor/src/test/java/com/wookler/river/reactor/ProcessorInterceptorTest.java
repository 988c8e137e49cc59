package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;
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
}
