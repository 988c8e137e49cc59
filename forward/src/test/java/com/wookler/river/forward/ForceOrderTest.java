package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log that cannot be forced just now: nothing on the device tells of what is not there. */
@Timeout(60)
class ForceOrderTest {
  private static final int BLOCK = 10;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> source;
  private MessageQueue<String> queue;
  private Subscriber<String> billing;
  private Path hidden;
  private Path block;

  @BeforeEach
  void open() {
    queue = builder("orders").deduplicate(Duration.ofHours(1)).open();
    source = builder("source").forwardTo("orders").fanoutOnly(true).open();
    billing = queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  @AfterEach
  void close() throws IOException {
    show();
    source.close();
    queue.close();
  }

  private MessageQueue.Builder<String> builder(String name) {
    return builder(directory, name);
  }

  private MessageQueue.Builder<String> builder(Path base, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(base)
        .recycle(SizeBasedRecycle.ofMessages(BLOCK))
        .timeSource(time);
  }

  private static Message<String> message(int number) {
    return Message.of("data " + number).withId("id " + number);
  }

  private void publish(int from, int to) {
    for (int number = from; number < to; number++) {
      queue.publisher().put(message(number), Durability.MEMORY);
    }
  }

  /** While no pool of flushers does anything; they go on behind it. */
  private static void withoutFlushers(Runnable work) {
    WorkerPool pool = WorkerPool.acquire("flusher", 2);
    CountDownLatch held = new CountDownLatch(2);
    CountDownLatch goOn = new CountDownLatch(1);
    try {
      for (int i = 0; i < 2; i++) {
        pool.serial("test-" + i)
            .execute(
                () -> {
                  held.countDown();
                  awaitQuietly(goOn);
                });
      }
      awaitQuietly(held);
      work.run();
    } finally {
      goOn.countDown();
      pool.release();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** From now on the file of the active block, of which nothing was forced, cannot be opened. */
  private void hide(String name, int number) {
    block = directory.resolve("%s/log/b%08d.cq4".formatted(name, number));
    hidden = directory.resolve("hidden");
    try {
      Files.move(block, hidden);
      Files.createSymbolicLink(block, block);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void show() throws IOException {
    if (hidden != null) {
      Files.delete(block);
      Files.move(hidden, block);
      hidden = null;
    }
  }

  /** What stands in the files that are written behind the log. */
  private Map<Path, ByteBuffer> behindTheLog() throws IOException {
    Map<Path, ByteBuffer> files = new TreeMap<>();
    for (String part : new String[] {"ids", "delayed", "origins.json"}) {
      try (Stream<Path> all = Files.walk(directory.resolve("orders").resolve(part))) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          files.put(file, ByteBuffer.wrap(Files.readAllBytes(file)));
        }
      }
    }
    return files;
  }

  private void notNow() {
    assertThatThrownBy(queue::force)
        .isInstanceOf(RiverException.class)
        .isNotInstanceOf(QueueFailedException.class)
        .hasMessageContaining("keeps trying");
  }

  /** The first block is on the device; the third holds messages, and is hidden. */
  private void untilTheThirdCannotBeForced() {
    source.publisher().publish("from elsewhere");
    source.force();
    await().until(() -> queue.stats().nextSequence() == 1);
    publish(1, BLOCK + 4);
    queue.publisher().publish(message(BLOCK + 4).deliverAfter(Duration.ofHours(1)));
    await().until(() -> queue.stats().delayed() == 1);
    queue.force();
    withoutFlushers(
        () -> {
          publish(BLOCK + 5, 2 * BLOCK + 1);
          queue.publisher().publish(message(2 * BLOCK + 1).deliverAfter(Duration.ofHours(1)));
          hide("orders", 3);
        });
    notNow();
  }

  @Test
  void shouldWriteNothingAheadOfALogThatCannotBeForcedNow() throws Exception {
    untilTheThirdCannotBeForced();
    Map<Path, ByteBuffer> before = behindTheLog();
    billing.ack(billing.batch(BLOCK, Duration.ZERO));
    time.advance(Duration.ofSeconds(1));
    await().until(() -> queue.stats().firstSequence() > 0);
    notNow(); // the flusher has tried
    assertThat(behindTheLog()).isEqualTo(before);
    assertThat(directory.resolve("orders/log/b00000001.cq4")).exists();

    show();
    time.advance(Duration.ofSeconds(2));
    await().until(() -> Files.notExists(directory.resolve("orders/log/b00000001.cq4")));
    Map<Path, ByteBuffer> after = behindTheLog();
    assertThat(after.keySet()).containsAll(before.keySet());
    for (String part : new String[] {"ids", "delayed", "origins.json"}) {
      assertThat(of(part, after)).as(part).isNotEqualTo(of(part, before));
    }
  }

  @Test
  void shouldForceWhatOthersFinishedThoughWhatExpiredCannotBeForcedNow() throws Exception {
    MessageQueue<String> late = builder("late").open();
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      Subscriber<String> expiring =
          queue.subscriber(
              SubscriberConfig.builder("expiring").ack(true).expiryQueue("late").build());
      Subscriber<String> paying =
          queue.subscriber(
              SubscriberConfig.builder("paying").ack(true).ackDurability(Durability.DISK).build());
      queue.publisher().publish(message(0).expiresAfter(Duration.ofSeconds(1)));
      queue.publisher().put(message(1), Durability.DISK);
      withoutFlushers(
          () -> {
            time.advance(Duration.ofSeconds(2));
            assertThat(take(expiring)).isEqualTo("data 1");
            assertThat(late.stats().messages()).isEqualTo(1);
            hide("late", 1);
          });
      paying.ack(paying.batch(BLOCK, Duration.ZERO)); // returns when that is on the device
      billing.ack(billing.batch(BLOCK, Duration.ZERO));
      assertThatThrownBy(queue::force).hasStackTraceContaining("what expired may not be on");
      assertThat(((DurableSubscriber<String>) billing).isUnforced()).isFalse();
      assertThat(((DurableSubscriber<String>) expiring).isUnforced()).isTrue();
      for (int i = 0; i < 5; i++) {
        time.advance(Duration.ofSeconds(1));
      }
      await().until(() -> said(captured).size() == 1);

      show();
      queue.force();
      assertThat(((DurableSubscriber<String>) expiring).isUnforced()).isFalse();
      assertThat(said(captured)).hasSize(1);
    } finally {
      show();
      late.close();
    }
  }

  @Test
  void shouldHandOnWhatExpiresOnlyOnceAPowerLossCannotTakeItBack() throws Exception {
    Duration second = Duration.ofSeconds(1);
    SubscriberConfig expiring =
        SubscriberConfig.builder("expiring").ack(true).expiryQueue("late").build();
    Path left = directory.resolve("left"); // by a power loss
    try (MessageQueue<String> late = builder("late").open()) {
      Subscriber<String> subscriber = queue.subscriber(expiring);
      publish(0, 1);
      assertThat(take(subscriber)).isEqualTo("data 0"); // from the block that is hidden then
      queue.force();
      DirectoryCopy.of(directory.resolve("orders"), left.resolve("orders"));
      withoutFlushers(
          () -> {
            queue.publisher().put(message(1).expiresAfter(second), Durability.MEMORY);
            hide("orders", 1);
          });
      time.advance(second);
      assertThat(subscriber.batch(1, Duration.ZERO)).isEmpty();
      late.force();
      DirectoryCopy.of(directory.resolve("late"), left.resolve("late"));

      show();
      await().until(() -> subscriber.stats().expired() == 1);
      assertThat(late.read(0).orElseThrow().data()).isEqualTo("data 1");
    }
    try (MessageQueue<String> late = builder(left, "late").open();
        MessageQueue<String> orders = builder(left, "orders").open()) {
      Subscriber<String> subscriber = orders.subscriber(expiring);
      assertThat(take(subscriber)).isEqualTo("data 0");
      assertThat(orders.publisher().publish(message(2).expiresAfter(second)))
          .as("the sequence of the message that was lost")
          .isEqualTo(1);
      time.advance(second);
      await().until(() -> subscriber.stats().expired() == 1);
      assertThat(late.read(0).orElseThrow().data()).isEqualTo("data 2");
    }
  }

  private static String take(Subscriber<String> subscriber) {
    try {
      return subscriber.batch(1, Duration.ZERO).get(0).data();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> said(CapturedLog captured) {
    return captured.warnings().stream().filter(line -> line.contains("not all of it")).toList();
  }

  private static List<ByteBuffer> of(String part, Map<Path, ByteBuffer> files) {
    return files.entrySet().stream()
        .filter(file -> file.getKey().toString().contains(part))
        .map(Map.Entry::getValue)
        .toList();
  }
}
