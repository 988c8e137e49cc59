package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueProcessorTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;
  private MessageQueue<String> source;
  private MessageQueue<String> target;
  private Subscriber<String> subscriber;

  @BeforeEach
  void open() {
    source = queue("qp-source").open();
    target = queue("qp-target").deduplicate(Duration.ofHours(1)).open();
    subscriber =
        source.subscriber(SubscriberConfig.builder("forward").ack(true).maxDeliveries(3).build());
  }

  private MessageQueue.Builder<String> queue(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(directory);
  }

  @AfterEach
  void close() {
    source.close();
    target.close();
  }

  private Reactor<String> forward() {
    return Reactor.builder(subscriber)
        .batchProcessor("forward", new QueueProcessor<>("qp-target", Durability.MEMORY))
        .start();
  }

  private void awaitDrained() {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  private List<String> inTarget() {
    return target.read(0, 10_000).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldPublishWithKeysAndHeaders() {
    source
        .publisher()
        .publish(
            Message.of("a").withKey("k").withHeader("h", "v".getBytes(StandardCharsets.UTF_8)));
    source.publisher().publish("b");
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(2);
    }
    Delivery<String> first = target.read(0).orElseThrow();
    assertThat(first.data()).isEqualTo("a");
    assertThat(first.key()).isEqualTo("k");
    assertThat(first.headers().get("h")).asString(StandardCharsets.UTF_8).isEqualTo("v");
    assertThat(inTarget()).containsExactly("a", "b");
  }

  @Test
  void shouldStoreNothingAgainThatComesAgain() {
    source.publisher().publishAll(IntStream.range(0, 100).mapToObj(i -> "m" + i).toList());
    AtomicBoolean thrown = new AtomicBoolean();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("forward", new QueueProcessor<>(target.publisher(), Durability.MEMORY))
            .batchProcessor(
                "behind",
                batch -> {
                  if (!thrown.getAndSet(true)) {
                    throw new IllegalStateException("after it was published");
                  }
                  return batch.stream().map(d -> ProcessResult.<String>done()).toList();
                })
            .start()) {
      awaitDrained();
      assertThat(reactor.stats().failed()).isEqualTo(64);
    }
    assertThat(inTarget()).hasSize(100).doesNotHaveDuplicates();
  }

  @Test
  void shouldKeepAllThatWasPassedOnInThePlaceOfOne() {
    source.publisher().publish("a,b,a");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(d -> ProcessResult.pass(split(d)))
            .batchProcessor("forward", new QueueProcessor<>("qp-target", Durability.DISK))
            .start()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
    assertThat(inTarget()).containsExactly("a", "b", "a");
  }

  private static List<Message<String>> split(Delivery<String> delivery) {
    return List.of(delivery.data().split(",")).stream().map(Message::of).toList();
  }

  @Test
  void shouldTakeNoMessageForOneOfAQueueThatBeganAnew() {
    source.publisher().publish("old");
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
    source.delete();
    source = queue("qp-source").open();
    open(source);
    source.publisher().publish("new"); // sequence 0 again
    try (Reactor<String> reactor = forward()) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
    assertThat(inTarget()).containsExactly("old", "new");
  }

  private void open(MessageQueue<String> anew) {
    subscriber = anew.subscriber(SubscriberConfig.builder("forward").ack(true).build());
  }

  @Test
  void shouldWaitForAQueueThatIsClosedWithoutUsingUpAttempts() {
    target.close();
    source.publisher().publishAll(List.of("a", "b", "c"));
    try (Reactor<String> reactor = forward()) {
      await().atMost(SOON).until(() -> reactor.stats().released() >= 12);
      target = queue("qp-target").deduplicate(Duration.ofHours(1)).open();
      awaitDrained();
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(inTarget()).containsExactly("a", "b", "c");
    assertThat(subscriber.stats().dead()).isZero(); // of three deliveries at most
  }

  @Test
  void shouldWaitForRoomInAQueueThatIsFull() {
    target.close();
    target =
        queue("qp-target")
            .deduplicate(Duration.ofHours(1))
            .maxMessages(2)
            .whenFull(FullPolicy.REJECT, Duration.ZERO)
            .open();
    Subscriber<String> reader =
        target.subscriber(SubscriberConfig.builder("reader").ack(true).build());
    source.publisher().publishAll(List.of("a", "b", "c", "d"));
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchSize(1)
            .batchProcessor("forward", new QueueProcessor<>("qp-target", Durability.MEMORY))
            .start()) {
      await().atMost(SOON).until(() -> reactor.stats().released() > 0);
      assertThat(inTarget()).containsExactly("a", "b");
      await()
          .atMost(SOON)
          .until(
              () -> {
                Delivery<String> next = reader.next();
                if (next != null) {
                  next.ack();
                }
                return subscriber.stats().lag() == 0;
              });
    }
    assertThat(inTarget()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void shouldRefuseItsOwnQueue() {
    assertThatThrownBy(
            () ->
                Reactor.builder(subscriber)
                    .batchProcessor("loop", new QueueProcessor<>("qp-source", Durability.MEMORY))
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("own queue qp-source");
  }

  @Test
  void shouldPublishTheOthersOfABatchWithOneThatCannotBe() {
    target.close();
    target = queue("qp-target").deduplicate(Duration.ofHours(1)).maxMessageBytes(1_000).open();
    source.publisher().publishAll(List.of("a", "x".repeat(2_000), "b"));
    try (Reactor<String> reactor = forward()) {
      await().atMost(SOON).until(() -> subscriber.stats().dead() == 1);
      assertThat(reactor.stats().finished()).isEqualTo(2);
    }
    assertThat(inTarget()).containsExactly("a", "b");
  }
}
