package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.StoredSubscriber;
import com.wookler.river.core.subscriber.StoredSubscriber.LedgerState;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage in everything that a queue keeps of its subscribers: the queue starts, and each subscriber
 * gets at least what it had not finished.
 */
class SubscriberDamageTest {
  private static final int FORMAT_AT = "{'format':".length();
  private static final int SEEDS = Integer.getInteger("river.damage.seeds", 8);
  private static final long FIRST_SEED = Long.getLong("river.damage.seed", 1);
  private static final int MESSAGES = 100;
  private static final int FINISHED = 50;

  @TempDir Path base;

  @BeforeEach
  void live() throws InterruptedException {
    try (MessageQueue<String> queue = open(base.resolve("sound"))) {
      Subscriber<String> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).window(1000).build());
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish("m" + i);
      }
      billing.ack(billing.batch(FINISHED, Duration.ZERO));
      audit.batch(FINISHED, Duration.ZERO);
    }
  }

  private static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
  }

  @Test
  void shouldStartAndDeliverWhatWasNotFinishedWhateverIsDamaged() throws Exception {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Random random = new Random(seed);
      Path copy = copy("copy" + seed);
      List<String> done = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        done.add(damage(copy.resolve("orders/subscribers"), random));
      }
      check(copy, "seed " + seed + ": " + done);
    }
  }

  @Test
  void shouldDetectEveryFlippedBitOfTheSettings() throws Exception {
    Path settings = Path.of("orders/subscribers/billing/subscriber.json");
    byte[] sound = Files.readAllBytes(base.resolve("sound").resolve(settings));
    Random random = new Random(3);
    for (int i = 0; i < 15; i++) {
      byte[] bytes = sound.clone();
      boolean isFormat = i == 0; // 1 becomes 9, which a later version may have
      int at = isFormat ? FORMAT_AT : random.nextInt(bytes.length);
      bytes[at] ^= (byte) (1 << (isFormat ? 3 : random.nextInt(7)));
      Path copy = copy("flip" + i);
      Files.write(copy.resolve(settings), bytes);
      try (MessageQueue<String> queue = open(copy)) {
        Subscriber<String> billing = queue.subscriber("billing");
        boolean known = Files.exists(copy.resolve(settings + ".damaged"));
        assertThat(billing.config().ackRequired()).isTrue();
        assertThat(billing.config().window() == 1000).as("flip at " + at).isNotEqualTo(known);
        assertThat(billing.next().sequence()).isEqualTo(FINISHED);
      }
    }
  }

  @Test
  void shouldKnowTheKindWithoutSettingsAndAcknowledgements() throws Exception {
    Path copy = copy("kind");
    try (Stream<Path> files = Files.list(copy.resolve("orders/subscribers/billing"))) {
      for (Path file : files.filter(path -> !path.endsWith("cursor")).toList()) {
        Files.delete(file);
      }
    }
    check(copy, "only the cursor is left");
  }

  @Test
  void shouldStartWhenTwoSubscribersAreExchanged() throws Exception {
    Path copy = copy("exchanged");
    Path subscribers = copy.resolve("orders/subscribers");
    Files.move(subscribers.resolve("audit"), subscribers.resolve("third"));
    Files.move(subscribers.resolve("billing"), subscribers.resolve("audit"));
    Files.move(subscribers.resolve("third"), subscribers.resolve("billing"));
    check(copy, "exchanged");
  }

  @Test
  void shouldReportAMissingCursorWhereTheSettingsSayThatThereWasOne() throws Exception {
    Path copy = copy("cursor");
    Path subscriber = copy.resolve("orders/subscribers/audit");
    Files.delete(subscriber.resolve("cursor"));
    assertThat(openings(copy)).anyMatch(line -> line.contains("cursor is damaged: it is missing"));
    check(copy, "without the cursor");
  }

  @Test
  void shouldNotCallASubscriberDamagedThatWasBeingMade() throws Exception {
    Path copy = copy("made");
    Path subscriber = copy.resolve("orders/subscribers/audit");
    UUID queue = QueueIdentity.look(copy.resolve("orders")).id().orElseThrow();
    StoredSubscriber whole = StoredSubscriber.read(subscriber, queue);
    assertThat(whole.ledger()).isEqualTo(LedgerState.MADE);
    new StoredSubscriber(whole.config(), 0, LedgerState.NEW).write(subscriber, queue);
    Files.delete(subscriber.resolve("cursor"));
    assertThat(openings(copy)).isEmpty();
    check(copy, "as a kill leaves it");
    assertThat(StoredSubscriber.read(subscriber, queue).ledger()).isEqualTo(LedgerState.MADE);
  }

  @Test
  void shouldTakeTheKindFromTheUserWhenItIsAGuess() throws Exception {
    SubscriberConfig keyed =
        SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).window(1000).build();
    Path copy = copy("keyed");
    try (MessageQueue<String> queue = open(copy)) {
      Subscriber<String> subscriber = queue.subscriber(keyed);
      subscriber.ack(subscriber.batch(FINISHED, Duration.ZERO));
    }
    for (String file : List.of("subscriber.json", "cursor")) {
      Files.write(copy.resolve("orders/subscribers/keyed").resolve(file), new byte[4096]);
    }
    open(copy).close(); // a run in which nobody opens it
    try (MessageQueue<String> queue = open(copy)) {
      List<Delivery<String>> left = queue.subscriber(keyed).batch(2 * MESSAGES, Duration.ZERO);
      assertThat(left).hasSizeBetween(MESSAGES - FINISHED, MESSAGES);
      assertThat(left.get(left.size() - 1).sequence()).isEqualTo(MESSAGES - 1);
    }
    try (MessageQueue<String> queue = open(copy)) {
      SubscriberConfig other = SubscriberConfig.builder("keyed").ack(true).build();
      assertThatThrownBy(() -> queue.subscriber(other))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("order = KEY");
    }
  }

  private static List<String> openings(Path copy) {
    try (CapturedLog log = new CapturedLog("com.wookler.river")) {
      open(copy).close();
      return log.warnings();
    }
  }

  private static void check(Path copy, String what) throws Exception {
    try (MessageQueue<String> queue = open(copy)) {
      for (String name : List.of("audit", "billing")) {
        List<Delivery<String>> left = queue.subscriber(name).batch(2 * MESSAGES, Duration.ZERO);
        assertThat(left).as("%s: %s", what, name).hasSizeBetween(MESSAGES - FINISHED, MESSAGES);
        for (int i = 1; i <= MESSAGES - FINISHED; i++) {
          assertThat(left.get(left.size() - i).data()).isEqualTo("m" + (MESSAGES - i));
        }
      }
    } catch (RuntimeException e) {
      throw new AssertionError(what, e);
    }
  }

  private static String damage(Path subscribers, Random random) throws IOException {
    List<Path> files = files(subscribers);
    Path file = files.get(random.nextInt(files.size()));
    Path other = files.get(random.nextInt(files.size()));
    byte[] bytes = Files.readAllBytes(file);
    int at = random.nextInt(Math.max(1, Math.min(bytes.length, 600)));
    String what = subscribers.relativize(file) + " at " + at;
    switch (random.nextInt(5)) {
      case 0 -> {
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bytes);
        return "bit flipped in " + what;
      }
      case 1 -> {
        Files.write(file, Arrays.copyOf(bytes, at));
        return "cut: " + what;
      }
      case 2 -> {
        Arrays.fill(bytes, at / 512 * 512, Math.min(bytes.length, at / 512 * 512 + 4096), (byte) 0);
        Files.write(file, bytes);
        return "zeroed: " + what;
      }
      case 3 -> {
        Files.delete(file);
        return "deleted: " + what;
      }
      default -> {
        Files.write(file, Files.readAllBytes(other));
        Files.write(other, bytes);
        return "exchanged with " + subscribers.relativize(other) + ": " + what;
      }
    }
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(file -> Files.isRegularFile(file) && file.toFile().length() > 0)
          .sorted()
          .toList();
    }
  }

  private Path copy(String name) throws IOException {
    Path sound = base.resolve("sound");
    Path copy = base.resolve(name);
    try (Stream<Path> all = Files.walk(sound)) {
      for (Path file : all.toList()) {
        Files.copy(file, copy.resolve(sound.relativize(file).toString()));
      }
    }
    return copy;
  }
}
