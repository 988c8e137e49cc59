package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages of a source that numbers them are stored once each. */
@Timeout(120)
class OriginTest {
  private static final Origin ROWS = Origin.of("orders table");

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder(Path data) {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(data).timeSource(time);
  }

  private PublishResult put(long position) {
    return queue.putFrom(ROWS, position, Message.of("row " + position), Durability.MEMORY);
  }

  private List<String> all() {
    return queue.read(0, 1_000).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldStoreEachPositionOnce() {
    queue = builder(directory).open();
    assertThat(queue.lastFrom(ROWS)).isEmpty();
    assertThat(put(0)).isEqualTo(PublishResult.stored(0, Durability.MEMORY));
    assertThat(put(7)).isEqualTo(PublishResult.stored(1, Durability.MEMORY));
    assertThat(put(7)).isEqualTo(PublishResult.duplicateOf(-1, Durability.MEMORY));
    assertThat(put(3).duplicate()).isTrue(); // it comes after a higher one
    assertThat(queue.lastFrom(ROWS)).hasValue(7);
    assertThat(queue.lastFrom(Origin.of("another"))).isEmpty();
    assertThat(
            queue
                .putFrom(Origin.of("another"), 3, Message.of("other"), Durability.DISK)
                .durability())
        .isEqualTo(Durability.DISK);
    assertThat(all()).containsExactly("row 0", "row 7", "other");
    assertThat(queue.read(1).orElseThrow().headers()).containsOnlyKeys(ForwardOrigin.HEADER);
  }

  @Test
  void shouldShowTheOriginAtEachDelivery() throws InterruptedException {
    queue = builder(directory).open();
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder("reader").ack(true).build());
    put(0);
    for (int i = 0; i < 3; i++) { // from the log, from the log once more, and from the cache
      Delivery<String> delivery = subscriber.next(Duration.ofSeconds(10));
      assertThat(delivery.headers()).containsOnlyKeys(ForwardOrigin.HEADER);
      delivery.release();
    }
  }

  @Test
  void shouldKnowWhatItHasAfterRestartsAndKills() throws Exception {
    queue = builder(directory.resolve("data")).open();
    for (int i = 0; i < 100; i++) {
      assertThat(put(i).duplicate()).isFalse();
    }
    Path copy = directory.resolve("killed");
    assertThat(KilledCopy.of(directory.resolve("data"), copy)).isTrue();
    queue.close();
    for (Path data : List.of(directory.resolve("data"), copy)) {
      queue = builder(data).open();
      assertThat(queue.lastFrom(ROWS)).hasValue(99);
      assertThat(put(99).duplicate()).isTrue();
      assertThat(put(100).sequence()).isEqualTo(100);
      queue.close();
    }
  }

  @Test
  void shouldKnowWhatHasLeftTheLog() throws Exception {
    queue = builder(directory).recycle(SizeBasedRecycle.ofMessages(10)).open();
    Subscriber<String> reader = queue.subscriber("reader");
    for (int i = 0; i < 95; i++) {
      put(i);
      assertThat(reader.next().data()).isEqualTo("row " + i);
    }
    while (queue.stats().firstSequence() < 80) {
      time.advance(Duration.ofSeconds(1));
      queue.force();
    }
    queue.close();
    queue = builder(directory).open();
    assertThat(queue.lastFrom(ROWS)).hasValue(94);
    assertThat(put(10).duplicate()).isTrue();
  }

  @Test
  void shouldMissTheFileThatSaysWhatItHas() throws Exception {
    queue = builder(directory).open();
    put(5);
    queue.close();
    Files.delete(directory.resolve("orders/origins.json"));
    queue = builder(directory).open();
    assertThat(queue.lastFrom(ROWS)).hasValue(5);
    assertThat(put(5).duplicate()).isTrue();
  }

  @Test
  void shouldStoreOneOfManyThatAreSentAtOnce() throws Exception {
    queue = builder(directory).open();
    ExecutorService senders = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> stored = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        stored.add(
            senders.submit(
                () -> {
                  int mine = 0;
                  for (int i = 0; i < 500; i++) {
                    mine += put(i).duplicate() ? 0 : 1;
                  }
                  return mine;
                }));
      }
      int sum = 0;
      for (Future<Integer> each : stored) {
        sum += each.get();
      }
      assertThat(sum).isEqualTo((int) queue.stats().nextSequence());
    } finally {
      senders.shutdownNow();
    }
    List<Long> positions =
        queue.read(0, 1_000).stream()
            .map(found -> ForwardOrigin.of(found.headers()).orElseThrow().sequence())
            .toList();
    assertThat(positions).isSorted().doesNotHaveDuplicates().endsWith(499L);
  }

  @Test
  void shouldKeepKeyHeadersAndTerms() throws Exception {
    queue = builder(directory).deduplicate(Duration.ofHours(1)).open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    Message<String> message =
        Message.of("m")
            .withKey("k")
            .withHeader("h", new byte[] {1})
            .withId("id")
            .deliverAfter(Duration.ofMinutes(1));
    assertThat(queue.putFrom(ROWS, 1, message, Durability.MEMORY).duplicate()).isFalse();
    assertThat(queue.putFrom(ROWS, 2, message, Durability.MEMORY).duplicate()).isFalse();
    assertThat(billing.next()).isNull();
    time.advance(Duration.ofMinutes(1));
    Delivery<String> due = billing.next(Duration.ofSeconds(30));
    assertThat(due.key()).isEqualTo("k");
    assertThat(due.headers()).containsOnlyKeys("h");
  }

  @Test
  void shouldRememberNothingOfWhatWasRefused() throws Exception {
    queue = builder(directory).maxMessages(2).open();
    Subscriber<String> reader = queue.subscriber("reader");
    put(1);
    put(2);
    assertThatThrownBy(() -> put(3)).isInstanceOf(QueueFullException.class);
    assertThat(queue.lastFrom(ROWS)).hasValue(2);
    assertThat(reader.batch(2, Duration.ofSeconds(1))).hasSize(2);
    assertThat(put(3).duplicate()).isFalse();
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    queue = builder(directory).open();
    assertThatThrownBy(() -> put(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("position -1 of orders table");
    assertThatThrownBy(() -> Origin.of("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Origin.of("x".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(queue.stats().nextSequence()).isZero();
  }
}
