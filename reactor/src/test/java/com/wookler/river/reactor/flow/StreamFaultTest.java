package com.wookler.river.reactor.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams whose executor goes away. */
@Timeout(120)
class StreamFaultTest {
  @TempDir Path directory;

  /** Keeps what it is told at the end. */
  private static final class Consumer implements Flow.Subscriber<Delivery<String>> {
    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final CompletableFuture<Throwable> error = new CompletableFuture<>();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
      subscription.request(Long.MAX_VALUE); // more than can be counted
    }

    @Override
    public void onNext(Delivery<String> item) {
      first.complete(item.data());
    }

    @Override
    public void onError(Throwable cause) {
      error.complete(cause);
    }

    @Override
    public void onComplete() {
      error.complete(new AssertionError("completed"));
    }
  }

  @Test
  void shouldGiveBackWhatItCannotSignalAnyMore() throws Exception {
    ExecutorService signals = Executors.newSingleThreadExecutor();
    try (MessageQueue<String> queue =
        MessageQueue.builder("stream", MessageConverter.utf8()).directory(directory).open()) {
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("flow").ack(true).build());
      Consumer consumer = new Consumer();
      DeliveryPublisher.acknowledging(subscriber).on(signals).subscribe(consumer);
      queue.publisher().publish("a");
      assertThat(consumer.first.get(60, TimeUnit.SECONDS)).isEqualTo("a");
      signals.shutdown();
      assertThat(signals.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
      queue.publisher().publish("b");
      assertThat(consumer.error.get(60, TimeUnit.SECONDS))
          .isInstanceOf(RejectedExecutionException.class);
      List<Delivery<String>> left = subscriber.batch(10, Duration.ofSeconds(20));
      assertThat(left).extracting(d -> d.data() + "#" + d.attempt()).containsExactly("b#1");
    }
  }
}
