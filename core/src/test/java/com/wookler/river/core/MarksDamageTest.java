package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damage to the file {@code marks} of a queue whose oldest blocks are in its backup. */
@Timeout(120)
class MarksDamageTest {
  private static final int[] SLOTS = {64, 128, 192, 256, 4096, 4160, 4224, 4288};
  private static final int MESSAGES = 100;
  private static final int ARCHIVED = 60;

  @TempDir Path base;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private Path marks;

  @BeforeEach
  void live() throws Exception {
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> billing = queue.subscriber("billing");
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish(Message.of("m" + i).withId("id" + i));
      }
      billing.batch(ARCHIVED + 5, Duration.ZERO);
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return queue.stats().firstSequence() == ARCHIVED;
              });
      queue.force();
    }
    marks = base.resolve("queues/orders/log/marks");
  }

  private MessageQueue<String> open() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base.resolve("queues"))
        .backup(base.resolve("backup"), Duration.ZERO)
        .recycle(SizeBasedRecycle.ofMessages(20))
        .deduplicate(Duration.ofDays(1))
        .timeSource(time)
        .open();
  }

  private void flip(int at) throws IOException {
    byte[] bytes = Files.readAllBytes(marks);
    bytes[at] ^= 1;
    Files.write(marks, bytes);
  }

  private void shouldHaveLostNothing(String what) {
    try (MessageQueue<String> queue = open()) {
      assertThat(queue.stats().lost()).as(what).isZero();
      for (int i = 0; i < MESSAGES; i++) {
        assertThat(queue.read(i).map(Delivery::data)).as(what).hasValue("m" + i);
        PublishResult again =
            queue.publisher().put(Message.of("again").withId("id" + i), Durability.MEMORY);
        assertThat(again.duplicate()).as("%s: id %s", what, i).isTrue();
        assertThat(again.sequence()).isEqualTo(i);
      }
    }
  }

  @Test
  void shouldReportAnOlderSlotAndLoseNothing() throws IOException {
    for (int slot : SLOTS) {
      flip(slot);
      try (CapturedLog log = new CapturedLog("com.wookler.river.core.log")) {
        shouldHaveLostNothing("slot " + slot);
        assertThat(log.warnings())
            .as("slot " + slot)
            .singleElement()
            .asString()
            .contains("damaged", marks.toString());
        log.clear();
        shouldHaveLostNothing("slot " + slot + ", once more");
        assertThat(log.warnings()).isEmpty();
      }
    }
  }

  @Test
  void shouldCallNothingLostThatABackupHolds() throws Exception {
    Path old = base.resolve("old");
    try (MessageQueue<String> queue = open()) {
      assertThat(KilledCopy.of(base.resolve("queues"), old)).isTrue();
      Subscriber<String> billing = queue.subscriber("billing");
      assertThat(billing.batch(MESSAGES, Duration.ZERO)).hasSize(MESSAGES - ARCHIVED - 5);
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return queue.stats().firstSequence() == MESSAGES - MESSAGES % 20;
              });
    }
    Files.write(marks, Files.readAllBytes(old.resolve("orders/log/marks"))); // whole, and older
    shouldHaveLostNothing("an older file");
  }

  @Test
  void shouldLookAtEachSlotFromOutside() throws IOException {
    var queue = QueueIdentity.read(base.resolve("queues/orders/queue.json")).id();
    assertThat(SideFiles.of(marks.getParent(), queue).marksFault()).isEmpty();
    for (int slot : SLOTS) {
      flip(slot);
      assertThat(SideFiles.of(marks.getParent(), queue).marksFault())
          .as("slot " + slot)
          .isPresent();
      flip(slot);
    }
  }
}
