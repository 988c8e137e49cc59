package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.StoredSubscriber;
import com.wookler.river.core.subscriber.StoredSubscriber.LedgerState;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.tools.inspect.BackupRestore;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.Progress;
import com.wookler.river.tools.inspect.QueueOverview;
import com.wookler.river.tools.inspect.QueueSalvage;
import com.wookler.river.tools.inspect.QueueVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is reported of one fault in a file beside the log, and that looking changes nothing. */
class VerifyFaultsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Path LOCKS = Path.of("/proc/locks");

  @TempDir Path base;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(base).timeSource(time);
  }

  private Path own() {
    return base.resolve("orders");
  }

  private static List<Finding> damages(Path queue) throws IOException {
    List<Finding> found = new ArrayList<>();
    QueueVerifier.verify(queue, null, found::add, Progress.NONE);
    return found.stream().filter(Finding::isDamage).toList();
  }

  private static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Test
  void shouldReportThatTheDirectoryOfIdsIsMissing() throws IOException {
    try (MessageQueue<String> queue = builder("orders").deduplicate(MINUTE).open()) {
      queue.publisher().publish(Message.of("a").withId("1"));
      queue.force();
    }
    assertThat(damages(own())).isEmpty();
    deleteAll(own().resolve("ids"));
    assertThat(damages(own())).hasSize(1);
  }

  @Test
  void shouldReportThatTheListOfOriginsIsMissing() throws Exception {
    try (MessageQueue<String> expired = builder("expired").open();
        MessageQueue<String> queue = builder("orders").maxAge(MINUTE, "expired").open()) {
      queue.publisher().publish("a");
      queue.force();
      time.advance(MINUTE);
      assertThat(queue.subscriber("first").next()).isNull();
      assertThat(expired.stats().nextSequence()).isEqualTo(1);
    }
    Path expired = base.resolve("expired");
    assertThat(damages(expired)).isEmpty();
    Files.delete(expired.resolve("origins.json"));
    assertThat(damages(expired))
        .singleElement()
        .asString()
        .contains("origins.json")
        .contains("missing");
  }

  private static List<String> take(Subscriber<String> subscriber, int count)
      throws InterruptedException {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count) {
      Delivery<String> next = subscriber.next(Duration.ofHours(1));
      assertThat(next).as("after %s", taken).isNotNull();
      next.ack();
      taken.add(next.data());
    }
    return taken;
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  private static Message<String> delayed(String data, Duration by) {
    return Message.of(data).deliverAfter(by);
  }

  @Test
  void shouldNameTheDelayedMessageThatIsDamaged() throws Exception {
    try (MessageQueue<String> queue =
        builder("orders").recycle(SizeBasedRecycle.ofMessages(2)).blockBytes(1 << 20).open()) {
      Subscriber<String> billing = billing(queue);
      queue.publisher().publish(delayed("damaged", MINUTE));
      queue.publisher().publish(delayed("sound", MINUTE));
      queue.publisher().publishAll(List.of("a", "b", "c"));
      take(billing, 3);
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return queue.stats().firstSequence() >= 2;
              });
    }
    Path file = own().resolve("delayed/due-000000000001");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2 - 1] ^= 1; // of the first one's data
    Files.write(file, bytes);
    assertThat(damages(own()))
        .singleElement()
        .asString()
        .contains("damaged", "due-000000000001", "sequence 0");
  }

  @Test
  void shouldRestoreWhatWaits() throws Exception {
    Path backup = base.resolve("backup");
    try (MessageQueue<String> queue =
        builder("orders")
            .recycle(SizeBasedRecycle.ofMessages(10))
            .backup(backup, Duration.ZERO)
            .open()) {
      Subscriber<String> billing = billing(queue);
      queue.publisher().publish(delayed("done", Duration.ofMillis(1)));
      time.advance(MINUTE);
      assertThat(take(billing, 1)).containsExactly("done");
      queue.publisher().publish(delayed("waits", MINUTE));
      for (int i = 0; i < 17; i++) {
        queue.publisher().publish("m" + i);
      }
      take(billing, 17);
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(10));
                return queue.stats().backups() == 2;
              });
      assertThat(damages(own())).isEmpty();
      assertThat(QueueOverview.of(own()).delayed()).isEqualTo(1);
    }
    Path restored = base.resolve("restored");
    BackupRestore.restore(
        backup.resolve("orders"), null, restored.resolve("orders"), Progress.NONE);
    try (MessageQueue<String> queue = builder("orders").directory(restored).open()) {
      await().until(() -> queue.stats().delayed() == 1);
      time.advance(MINUTE);
      Subscriber<String> billing = billing(queue);
      assertThat(take(billing, 19)).startsWith("done", "m0").endsWith("m16", "waits");
      await().pollDelay(Duration.ofMillis(60)).until(() -> billing.next() == null);
    }
  }

  private Path withSubscriber() {
    try (MessageQueue<String> queue = builder("orders").open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      queue.publisher().publish("a");
      audit.next();
    }
    return own().resolve("subscribers/audit");
  }

  @Test
  void shouldReportAMissingCursorWhereTheSettingsSayThatThereWasOne() throws IOException {
    Path subscriber = withSubscriber();
    Files.delete(subscriber.resolve("cursor"));
    assertThat(damages(own())).singleElement().asString().contains("cursor", "is missing");
    builder("orders").open().close();
    assertThat(damages(own())).isEmpty();
  }

  @Test
  void shouldNotCallASubscriberDamagedThatWasBeingMade() throws IOException {
    Path subscriber = withSubscriber();
    UUID queue = QueueIdentity.look(own()).id().orElseThrow();
    StoredSubscriber whole = StoredSubscriber.read(subscriber, queue);
    new StoredSubscriber(whole.config(), 0, LedgerState.NEW).write(subscriber, queue);
    Files.delete(subscriber.resolve("cursor"));
    assertThat(damages(own())).isEmpty();
  }

  /** Whether this process holds a lock of the file, as the system sees it. */
  private boolean isLocked() throws IOException {
    String file = ":" + Files.getAttribute(own().resolve("LOCK"), "unix:ino") + " ";
    String process = " " + ProcessHandle.current().pid() + " ";
    return Files.readAllLines(LOCKS).stream()
        .anyMatch(line -> line.contains(file) && line.contains(process));
  }

  @Test
  void shouldNotEndTheLockOfAQueueByLookingAtItsDirectory() throws Exception {
    assumeTrue(Files.exists(LOCKS));
    try (MessageQueue<String> queue = builder("orders").open()) { // the clock stands: no renewal
      queue.publisher().publish("m0");
      QueueVerifier.verify(own(), null, finding -> {}, Progress.NONE);
      QueueOverview.of(own());
      QueueSalvage.salvage(own(), null, base.resolve("salvaged"), lost -> {}, Progress.NONE);
      assertThat(isLocked()).isTrue();
    }
  }
}
