package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishing only if the queue, or a key, ends as the caller expects. */
@Timeout(120)
class ConditionalPublishTest {
  private static final Durability MEMORY = Durability.MEMORY;

  @TempDir Path directory;

  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(base).keyIndex(true);
  }

  private static Message<String> keyed(String data) {
    return Message.of(data).withKey("k");
  }

  private static void conflicts(ThrowingCallable call, OptionalLong actual) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.actual()).isEqualTo(actual));
  }

  private void conflictsByKey(OptionalLong expected, OptionalLong actual) {
    conflicts(() -> queue.putIfLatest("k", expected, keyed("no"), MEMORY), actual);
  }

  private List<String> all() {
    return queue.read(0, 100_000).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldStoreOnlyAtTheExpectedSequence() {
    queue = builder(directory).open();
    assertThat(queue.putIf(0, Message.of("a"), Durability.DISK))
        .isEqualTo(PublishResult.stored(0, Durability.DISK));
    conflicts(() -> queue.putIf(0, Message.of("b"), MEMORY), OptionalLong.of(1));
    conflicts(() -> queue.putIf(2, Message.of("b"), MEMORY), OptionalLong.of(1));
    Expected one = Expected.next(1);
    assertThat(queue.putAllIf(one, List.of(Message.of("b"), Message.of("c")), MEMORY).sequence())
        .isEqualTo(1);
    assertThatThrownBy(() -> queue.putAllIf(one, List.of(Message.of("d")), MEMORY))
        .hasMessage("queue orders: expected next sequence 1, but it is 3");
    assertThat(queue.publisher().publish("d")).isEqualTo(3); // the condition has ended
    assertThat(all()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void shouldStoreOnlyBehindTheExpectedMessageOfTheKey() {
    queue = builder(directory).open();
    queue.publisher().publish("other");
    conflictsByKey(OptionalLong.of(0), OptionalLong.empty());
    assertThat(queue.putIfLatest("k", OptionalLong.empty(), keyed("a"), MEMORY).sequence())
        .isEqualTo(1);
    queue.publisher().publish(Message.of("other").withKey("other"));
    assertThat(queue.putIfLatest("k", OptionalLong.of(1), keyed("b"), MEMORY).sequence())
        .isEqualTo(3);
    conflictsByKey(OptionalLong.of(1), OptionalLong.of(3));
    assertThatThrownBy(() -> queue.putIfLatest("k", OptionalLong.empty(), keyed("c"), MEMORY))
        .hasMessage("queue orders: expected no message with key 'k', but it is 3");
    assertThat(all()).containsExactly("other", "a", "other", "b");
  }

  @Test
  void shouldExpectNoneWhereTheLastMessageOfTheKeyIsRemoved() {
    queue = builder(directory).compact(true).open();
    OptionalLong none = OptionalLong.empty();
    long first = queue.putIfLatest("k", none, keyed("a"), MEMORY).sequence();
    queue.cancel(first);
    assertThat(queue.latest("k")).isEmpty();
    long second = queue.putIfLatest("k", none, keyed("b"), MEMORY).sequence();
    queue.delete(second, second + 1);
    long third = queue.putIfLatest("k", none, keyed("c"), MEMORY).sequence();
    long marker = queue.publisher().publish(keyed("")); // deletes the key
    assertThat(queue.latest("k")).isEmpty();
    conflictsByKey(OptionalLong.of(third), OptionalLong.of(marker));
    long fourth = queue.putIfLatest("k", none, keyed("d"), MEMORY).sequence();
    conflictsByKey(none, OptionalLong.of(fourth));
  }

  @Test
  void shouldNeedAnIndexForAKey() {
    queue = builder(directory).keyIndex(false).open();
    assertThatThrownBy(() -> queue.putIfLatest("k", OptionalLong.empty(), keyed("a"), MEMORY))
        .isInstanceOf(ConfigurationException.class);
    assertThat(queue.putIf(0, keyed("a"), MEMORY).sequence()).isZero();
    assertThatThrownBy(() -> Expected.next(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> queue.putAllIf(Expected.next(1), List.of(), MEMORY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static <T> List<T> atOnce(int threads, Callable<T> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : pool.invokeAll(Collections.nCopies(threads, work))) {
        results.add(each.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void shouldLoseNoIncrementOfManyThreads() throws Exception {
    queue = builder(directory).recycle(SizeBasedRecycle.ofMessages(300)).open();
    atOnce(
        4,
        () -> {
          for (int i = 0; i < 500; i++) {
            increment();
          }
          return true;
        });
    assertThat(all()).hasSize(2_000).last().isEqualTo("2000");
  }

  private void increment() {
    while (true) {
      long next = queue.stats().nextSequence();
      long value = next == 0 ? 0 : Long.parseLong(queue.read(next - 1).orElseThrow().data());
      try {
        queue.putIf(next, Message.of(String.valueOf(value + 1)), MEMORY);
        return;
      } catch (ConflictException e) {
        assertThat(e.actual().orElseThrow()).isGreaterThan(next);
      }
    }
  }

  @Test
  void shouldLoseNoIncrementOfAKeyBesideOtherPublishers() throws Exception {
    queue = builder(directory).recycle(SizeBasedRecycle.ofMessages(3_000)).open();
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService others = Executors.newSingleThreadExecutor();
    try {
      Future<?> publishing =
          others.submit(
              () -> {
                for (long i = 0; !over.get(); i++) {
                  queue.publisher().publish(Message.of("x").withKey("other " + i % 50));
                }
              });
      atOnce(
          3,
          () -> {
            for (int i = 0; i < 200; i++) {
              incrementKey();
            }
            return true;
          });
      over.set(true);
      publishing.get();
    } finally {
      others.shutdownNow();
    }
    assertThat(queue.latest("k").orElseThrow().data()).isEqualTo("600");
  }

  private void incrementKey() {
    while (true) {
      Optional<Delivery<String>> last = queue.latest("k");
      long value = Long.parseLong(last.map(Delivery::data).orElse("0"));
      OptionalLong place = last.map(at -> OptionalLong.of(at.place())).orElse(OptionalLong.empty());
      try {
        queue.putIfLatest("k", place, keyed(String.valueOf(value + 1)), MEMORY);
        return;
      } catch (ConflictException e) {
        assertThat(e.actual().orElseThrow()).isGreaterThan(place.orElse(-1));
      }
    }
  }

  @Test
  void shouldCompareTheSameAfterAKillAndAReopening() throws Exception {
    queue = builder(directory.resolve("a")).open();
    queue.putIfLatest("k", OptionalLong.empty(), keyed("a"), MEMORY);
    queue.putIf(1, Message.of("b"), MEMORY);
    Path left = directory.resolve("b");
    KilledCopy.whole(directory.resolve("a"), left);
    queue.close();
    for (Path base : List.of(left, directory.resolve("a"))) {
      queue = builder(base).open();
      conflicts(() -> queue.putIf(1, Message.of("no"), MEMORY), OptionalLong.of(2));
      conflictsByKey(OptionalLong.empty(), OptionalLong.of(0));
      assertThat(queue.putIfLatest("k", OptionalLong.of(0), keyed("c"), MEMORY).sequence())
          .isEqualTo(2);
      assertThat(all()).containsExactly("a", "b", "c");
      queue.close();
    }
  }

  @Test
  void shouldKnowTheKeyOfARemovedBlockFromItsBackup() throws Exception {
    queue =
        builder(directory.resolve("data"))
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .recycle(SizeBasedRecycle.ofMessages(2))
            .open();
    Subscriber<String> reader = queue.subscriber("reader");
    queue.publisher().publish(keyed("a"));
    queue.publisher().publishAll(List.of("b", "c"));
    reader.batch(10, Duration.ofSeconds(1));
    await().until(() -> queue.stats().firstSequence() > 0);
    conflictsByKey(OptionalLong.empty(), OptionalLong.of(0));
    assertThat(queue.putIfLatest("k", OptionalLong.of(0), keyed("d"), MEMORY).sequence())
        .isEqualTo(3);
  }

  @Test
  void shouldCountAKeyWithoutBackupsAsOneWithoutMessages() throws Exception {
    queue = builder(directory).recycle(SizeBasedRecycle.ofMessages(2)).open();
    Subscriber<String> reader = queue.subscriber("reader");
    queue.publisher().publish(keyed("a"));
    queue.publisher().publishAll(List.of("b", "c"));
    reader.batch(10, Duration.ofSeconds(1));
    await().until(() -> queue.stats().firstSequence() > 0);
    conflictsByKey(OptionalLong.of(0), OptionalLong.empty());
    assertThat(queue.putIfLatest("k", OptionalLong.empty(), keyed("d"), MEMORY).sequence())
        .isEqualTo(3);
  }

  @Test
  void shouldAnswerADuplicateFirst() {
    queue = builder(directory).deduplicate(Duration.ofHours(1)).open();
    Message<String> message = keyed("a").withId("1");
    assertThat(queue.putIf(0, message, MEMORY).duplicate()).isFalse();
    assertThat(queue.putIf(0, message, MEMORY))
        .isEqualTo(PublishResult.duplicateOf(0, MEMORY)); // as one that got no answer repeats it
    assertThat(queue.putIfLatest("k", OptionalLong.empty(), message, MEMORY).duplicate()).isTrue();
    Message<String> other = keyed("b").withId("2");
    conflicts(() -> queue.putIf(0, other, MEMORY), OptionalLong.of(1));
    assertThat(queue.putIf(1, other, MEMORY).duplicate()).isFalse(); // its id was not remembered
    PublishResult batch =
        queue.putAllIf(Expected.next(2), List.of(message, keyed("c").withId("3")), MEMORY);
    assertThat(batch.sequence()).isEqualTo(2);
    assertThat(batch.duplicates()).containsOnlyKeys(0);
  }

  @Test
  void shouldCompareAgainWhenThereIsCapacity() throws Exception {
    queue =
        builder(directory).maxMessages(1).whenFull(FullPolicy.BLOCK, Duration.ofMinutes(1)).open();
    Subscriber<String> reader =
        queue.subscriber(SubscriberConfig.builder("reader").ack(true).build());
    queue.publisher().publish("a");
    ExecutorService waiting = Executors.newSingleThreadExecutor();
    try {
      Future<PublishResult> put = waiting.submit(() -> queue.putIf(1, Message.of("b"), MEMORY));
      conflicts(() -> queue.putIf(0, Message.of("b"), MEMORY), OptionalLong.of(1)); // at once
      reader.next().ack();
      assertThat(put.get().sequence()).isEqualTo(1);
    } finally {
      waiting.shutdownNow();
    }
    queue.close();
    queue = builder(directory).maxMessages(1).open();
    assertThatThrownBy(() -> queue.putIf(2, Message.of("c"), MEMORY))
        .isInstanceOf(QueueFullException.class);
  }
}
