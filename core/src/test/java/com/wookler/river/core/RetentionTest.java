package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a queue removes though nobody has finished it. */
@Timeout(120)
class RetentionTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder(Retention retention) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .recycle(SizeBasedRecycle.ofMessages(10))
        .retention(retention)
        .timeSource(time);
  }

  private void open(Retention retention) {
    queue = builder(retention).open();
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  private Subscriber<String> acking(String name) {
    return queue.subscriber(SubscriberConfig.builder(name).ack(true).build());
  }

  private void awaitFirst(long sequence) {
    await().until(() -> queue.stats().firstSequence() == sequence);
  }

  /** Long enough for several looks of housekeeping, none of which may remove anything. */
  private void assertFirstStays(long sequence) {
    await().during(Duration.ofMillis(400)).until(() -> queue.stats().firstSequence() == sequence);
  }

  @Test
  void shouldRemoveBlocksOfAQueueWithoutSubscribersByMessages() {
    open(Retention.ofMessages(25));
    publish(55);
    awaitFirst(30);
    assertFirstStays(30);
    assertThat(queue.stats().discarded()).isEqualTo(30);
    assertThat(queue.subscriber("late").next().sequence()).isEqualTo(30);
  }

  @Test
  void shouldRemoveBlocksByBytes() {
    open(Retention.ofBytes(queue(20)));
    publish(55);
    await().until(() -> queue.stats().blocks() < 5);
    assertThat(queue.stats().bytes()).isGreaterThanOrEqualTo(queue(20));
  }

  /** Bytes of a log that holds so many messages, in blocks of 10. */
  private long queue(int messages) {
    try (MessageQueue<String> other =
        MessageQueue.builder("other", MessageConverter.utf8())
            .directory(directory.resolve("size"))
            .recycle(SizeBasedRecycle.ofMessages(10))
            .reload(false)
            .open()) {
      for (int i = 0; i < messages; i++) {
        other.publisher().publish("m" + i);
      }
      return other.stats().bytes();
    }
  }

  @Test
  void shouldRemoveBlocksByAge() {
    open(Retention.ofAge(Duration.ofHours(1)));
    publish(10);
    time.advance(Duration.ofMinutes(30));
    publish(10);
    time.advance(Duration.ofMinutes(30));
    assertFirstStays(0);
    time.advance(Duration.ofMinutes(1));
    awaitFirst(10);
    assertFirstStays(10);
    time.advance(Duration.ofMinutes(30));
    awaitFirst(20);
  }

  @Test
  void shouldKeepWhatASubscriberHasNotFinished() {
    open(Retention.ofMessages(10).withAge(Duration.ofHours(1)));
    Subscriber<String> billing = acking("billing");
    publish(50);
    time.advance(Duration.ofHours(5));
    assertFirstStays(0);
    for (int i = 0; i < 20; i++) {
      billing.next().ack();
    }
    awaitFirst(20);
    assertThat(queue.stats().discarded()).isZero();
  }

  @Test
  void shouldRemoveWhatIsUnfinishedIfItSaysSoAndCountIt() {
    open(Retention.ofMessages(20).removingUnfinished());
    Subscriber<String> billing = acking("billing");
    acking("closed").close();
    publish(1);
    billing.next().ack();
    publish(50);
    awaitFirst(30);
    assertThat(billing.next().sequence()).isEqualTo(30);
    assertThat(billing.stats().discarded()).isEqualTo(29);
    assertThat(queue.stats().discarded()).isEqualTo(29 + 30);
    assertThat(acking("closed").next().sequence()).isEqualTo(30);
  }

  @Test
  void shouldGoOnBehindWhatWasRemovedAfterARestart() {
    open(Retention.ofMessages(20).removingUnfinished());
    acking("billing").close();
    publish(51);
    awaitFirst(30);
    queue.close();
    open(Retention.NONE);
    assertThat(acking("billing").stats().ackFloor()).isEqualTo(30);
    assertThat(acking("billing").next().sequence()).isEqualTo(30);
  }

  @Test
  void shouldArchiveWhatItRemoves() {
    queue =
        builder(Retention.ofMessages(20)).backup(directory.resolve("backup"), Duration.ZERO).open();
    publish(51);
    awaitFirst(30);
    await().until(() -> queue.stats().backups() == 3);
    assertThat(queue.read(7)).hasValueSatisfying(m -> assertThat(m.data()).isEqualTo("m7"));
  }
}
