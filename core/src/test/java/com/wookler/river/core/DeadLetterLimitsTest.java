package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.Aside;
import com.wookler.river.testing.CapturedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many dead letters are kept, for how long, and who learns that others were dropped. */
@Timeout(120)
class DeadLetterLimitsTest {
  private static final String DROPPED = "dead letters were dropped";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final AtomicLong heard = new AtomicLong();
  private final CapturedLog log = new CapturedLog("com.wookler.river.core");
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @BeforeEach
  void open() {
    queue = builder(directory).open();
    queue.addListener(
        new QueueListener() {
          @Override
          public void deadLettersDropped(String subscriber, long letters) {
            assertThat(subscriber).isEqualTo("billing");
            heard.addAndGet(letters);
          }
        });
  }

  private MessageQueue.Builder<String> builder(Path in) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(in)
        .blockBytes(4L << 20)
        .timeSource(time);
  }

  @AfterEach
  void close() {
    queue.close();
    log.close();
  }

  private static SubscriberConfig.Builder config() {
    return SubscriberConfig.builder("billing").ack(true);
  }

  private void reject(String... messages) {
    for (String message : messages) {
      queue.publisher().publish(message);
      billing.next().reject("no");
    }
  }

  private void shouldKeep(String... messages) {
    await()
        .untilAsserted(
            () ->
                assertThat(billing.deadLetters().peek(99))
                    .extracting(Delivery::data)
                    .containsExactly(messages));
    assertThat(billing.deadLetters().size()).isEqualTo(messages.length);
  }

  private void shouldHaveDropped(long letters) {
    await().until(() -> billing.stats().deadDropped() == letters && heard.get() == letters);
  }

  private List<String> said() {
    return log.warnings().stream().filter(line -> line.contains(DROPPED)).toList();
  }

  @Test
  void shouldDropTheOldestBeyondTheNumber() {
    billing = queue.subscriber(config().deadLetterLimit(3).build());
    reject("a", "b", "c");
    await().until(() -> billing.stats().lag() == 0);
    assertThat(billing.deadLetters().size()).isEqualTo(3);
    reject("d");
    shouldKeep("b", "c", "d");
    assertThat(said())
        .singleElement()
        .asString()
        .contains("orders", "billing", "the oldest 1 " + DROPPED, "subscriber.dead.max 3");
    reject("e", "f");
    shouldKeep("d", "e", "f");
    shouldHaveDropped(3);
    assertThat(said()).as("one line a minute").hasSize(1);
    time.advance(Duration.ofMinutes(1));
    reject("g");
    shouldKeep("e", "f", "g");
    assertThat(said()).hasSize(2).last().asString().contains("the oldest 3 " + DROPPED);
    shouldHaveDropped(4);
    assertThat(billing.stats().dead()).isEqualTo(7);
  }

  @Test
  void shouldDropTheOldestBeyondTheAgeThoughTheClockWasSetBack() {
    billing = queue.subscriber(config().deadLetterAge(Duration.ofHours(1)).build());
    reject("a");
    shouldKeep("a");
    time.stepWall(Duration.ofDays(-1));
    Path letters = directory.resolve("orders/subscribers/billing/orders.billing.dead");
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return Files.exists(letters.resolve("log/clock"));
            });
    reject("b");
    time.advance(Duration.ofMinutes(30));
    reject("c");
    shouldKeep("a", "b", "c");
    time.advance(Duration.ofMinutes(31));
    shouldKeep("c");
    shouldHaveDropped(2);
  }

  @Test
  void shouldDropTheOldestBeyondTheAge() {
    billing = queue.subscriber(config().deadLetterAge(Duration.ofHours(1)).build());
    reject("a", "b");
    time.advance(Duration.ofMinutes(30));
    reject("c");
    time.advance(Duration.ofMinutes(30));
    reject("d"); // looks at the others, which are not older than an hour
    await().until(() -> billing.stats().holes() == 0);
    shouldKeep("a", "b", "c", "d");
    time.advance(Duration.ofSeconds(1));
    shouldKeep("c", "d"); // nobody polls
    shouldHaveDropped(2);
    time.advance(Duration.ofDays(1));
    shouldKeep();
    shouldHaveDropped(4);
    assertThat(said()).hasSize(2).allMatch(line -> line.contains("subscriber.dead.age PT1H"));
  }

  @Test
  void shouldDropWhatIsTooMuchWhenItIsOpenedAgain() {
    billing = queue.subscriber(config().build());
    reject("a", "b", "c", "d");
    billing.close();
    billing = queue.subscriber(config().deadLetterLimit(2).build());
    time.advance(Duration.ofSeconds(1));
    shouldKeep("c", "d");
    shouldHaveDropped(2);
    queue.close();
    open();
    billing = queue.subscriber("billing"); // the limit was stored
    assertThat(billing.config().deadLetterLimit()).isEqualTo(2);
    shouldKeep("c", "d");
    reject("e");
    shouldKeep("d", "e");
    shouldHaveDroppedSince(3);
  }

  /** Those that the subscriber counts begin anew with its opening. */
  private void shouldHaveDroppedSince(long ever) {
    await().until(() -> billing.stats().deadDropped() == 1 && heard.get() == ever);
  }

  @Test
  void shouldNotCountWhatIsRedrivenOrPurged() {
    billing = queue.subscriber(config().deadLetterLimit(2).build());
    reject("a", "b");
    assertThat(billing.deadLetters().redrive(1)).isEqualTo(1);
    assertThat(billing.deadLetters().purge()).isEqualTo(1);
    billing.next().ack();
    reject("c", "d", "e");
    shouldKeep("d", "e");
    shouldHaveDropped(1);
  }

  @Test
  void shouldDropWhileARedriveWaitsForItsPace() throws Exception {
    billing = queue.subscriber(config().deadLetterLimit(3).build());
    reject("a", "b", "c");
    CompletableFuture<Integer> redriven =
        Aside.supply(() -> billing.deadLetters().redrive(1_000, 1));
    await().until(() -> billing.deadLetters().size() == 2);
    billing.next().ack();
    reject("d", "e", "f");
    shouldKeep("d", "e", "f");
    shouldHaveDropped(2);
    Aside.run(billing::close).get(60, TimeUnit.SECONDS);
    assertThat(redriven).failsWithin(60, TimeUnit.SECONDS);
  }

  @Tag("full")
  @Test
  void shouldFinishAMessageAfterAKillThoughItsLetterWasDropped() throws Exception {
    queue.close();
    queue = builder(directory).syncInterval(Duration.ofHours(1)).open(); // nothing is settled
    billing = queue.subscriber(config().deadLetterLimit(1).build());
    reject("a", "b", "c");
    shouldKeep("c");
    Path copy = directory.resolve("copy");
    copy(directory.resolve("orders"), copy.resolve("orders"));
    try (MessageQueue<String> killed = builder(copy).open()) {
      Subscriber<String> again = killed.subscriber("billing");
      assertThat(again.next()).isNull();
      assertThat(again.stats().lag()).isZero();
      assertThat(again.deadLetters().peek(9)).extracting(Delivery::data).containsExactly("c");
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }
}
