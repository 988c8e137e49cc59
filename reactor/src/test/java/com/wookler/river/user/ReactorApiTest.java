package com.wookler.river.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.ReactorStats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reactor as programs outside of River were told that it is. */
class ReactorApiTest {
  @TempDir Path directory;

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  /** With no more than what a processor was promised to have. */
  private static final class Upper implements Processor<String> {
    @Override
    public ProcessResult<String> process(Delivery<String> delivery) throws Exception {
      return switch (delivery.data()) {
        case "again" ->
            delivery.attempt() == 1 ? ProcessResult.retry(Duration.ZERO) : ProcessResult.pass();
        case "bad" -> ProcessResult.reject("no");
        default -> ProcessResult.pass(Message.of(delivery.data() + "!"));
      };
    }
  }

  /** Likewise. */
  private final class Keep implements BatchProcessor<String> {
    @Override
    public List<ProcessResult<String>> process(List<Delivery<String>> batch) throws Exception {
      List<ProcessResult<String>> results = new ArrayList<>();
      for (Delivery<String> delivery : batch) {
        seen.add(delivery.data());
        results.add(ProcessResult.ack());
      }
      return results;
    }
  }

  @Test
  void shouldHaveEveryMemberThatWasPromised() {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("store").ack(true).build());
      Reactor<String> reactor =
          Reactor.builder(subscriber)
              .processor(new Upper())
              .batchProcessor("keep", new Keep())
              .filter(delivery -> !delivery.data().isEmpty())
              .threads(2)
              .start();
      AutoCloseable closeable = reactor;
      assertThat(closeable).isNotNull();
      queue.publisher().publishAll(List.of("a", "again", "bad", "b"));
      await().until(() -> subscriber.stats().lag() == 0);
      ReactorStats stats = reactor.stats();
      assertThat(stats).isNotNull();
      reactor.close(Duration.ofSeconds(10));
      assertThat(seen).containsExactlyInAnyOrder("a!", "again", "b!");
      assertThat(subscriber.deadLetters().size()).isEqualTo(1);
    }
  }
}
