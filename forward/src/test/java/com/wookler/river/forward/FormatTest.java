package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads what format 1 of River wrote, from {@code format-1.zip.gz}. That file is written anew only
 * until the first release, by {@code -Driver.format.write=<file>}; afterwards a new format gets a
 * new file beside it.
 */
class FormatTest {
  @TempDir Path base;

  @ParameterizedTest
  @ValueSource(strings = {"closed", "killed"})
  void shouldReadWhatFormat1Wrote(String state) throws Exception {
    Path at = unpacked(state);
    ManualTimeSource time = new ManualTimeSource(FormatFixture.BEGIN.plus(Duration.ofHours(1)));
    try (MessageQueue<String> queue = FormatFixture.queue(at).timeSource(time).open()) {
      assertThat(queue.stats().firstSequence()).isEqualTo(30);
      assertThat(queue.stats().nextSequence()).isEqualTo(FormatFixture.MESSAGES + 1);
      assertThat(queue.stats().backups()).isEqualTo(1);
      for (int i = 0; i < FormatFixture.MESSAGES; i++) {
        assertThat(queue.read(i).orElseThrow().data()).isEqualTo("m" + i);
      }
      assertThat(queue.latest("key-5").orElseThrow().sequence()).isEqualTo(89);
      assertThat(queue.latest("key-0").orElseThrow().sequence()).isEqualTo(98);
      shouldGive(queue.subscriber("audit"), 50, 1);
      shouldGive(queue.subscriber("late"), 70, 1);
      Subscriber<String> billing = queue.subscriber("billing");
      assertThat(billing.config().equalsButForStart(FormatFixture.billing())).isTrue();
      shouldBe(billing.next(), 45, 3);
      for (int i = 50; i < 60; i++) {
        shouldBe(billing.next(), i, 2);
      }
      shouldGive(billing, 60, 1);
      Subscriber<String> keyed = queue.subscriber(FormatFixture.byKey());
      shouldGiveByKey(keyed);
      time.advance(FormatFixture.WAIT); // of which one hour was over
      shouldGiveWhatWaited(billing, 33);
      shouldGiveWhatWaited(keyed, 63);
      assertThat(queue.publisher().publish("next")).isEqualTo(FormatFixture.MESSAGES + 1);
      shouldGiveWhatWasDelayed(queue, time);
      queue.force();
      try (MessageQueue<String> copies = FormatFixture.copies(at).open()) {
        await().until(() -> copies.stats().nextSequence() > FormatFixture.MESSAGES);
        assertThat(copies.read(99).orElseThrow().data()).isEqualTo("m99");
        assertThat(copies.read(100).orElseThrow().data()).isEqualTo("next"); // and none twice
      }
    }
    try (Stream<Path> all = Files.walk(at)) {
      assertThat(all.map(Path::toString)).noneMatch(name -> name.matches(".*(corrupt|damaged)"));
    }
  }

  private static void shouldGiveWhatWasDelayed(MessageQueue<String> queue, ManualTimeSource time)
      throws InterruptedException {
    assertThat(queue.stats().delayed()).isEqualTo(1);
    Subscriber<String> audit = queue.subscriber("audit");
    assertThat(audit.batch(200, Duration.ZERO)).hasSize(1); // the next
    time.advance(FormatFixture.DELAY);
    Delivery<String> delayed = audit.next(Duration.ofDays(1));
    assertThat(delayed).isNotNull();
    assertThat(delayed.data()).isEqualTo("delayed");
    assertThat(delayed.key()).isEqualTo("key");
    assertThat(delayed.sequence()).isEqualTo(FormatFixture.MESSAGES);
  }

  private static void shouldGive(Subscriber<String> subscriber, int from, int attempt)
      throws InterruptedException {
    List<Delivery<String>> all = subscriber.batch(200, Duration.ZERO);
    assertThat(all).hasSize(FormatFixture.MESSAGES - from);
    for (int i = 0; i < all.size(); i++) {
      shouldBe(all.get(i), from + i, attempt);
    }
  }

  /** Among those that were not acknowledged in time. */
  private static void shouldGiveWhatWaited(Subscriber<String> subscriber, int sequence)
      throws InterruptedException {
    assertThat(subscriber.batch(200, Duration.ZERO))
        .filteredOn(delivery -> delivery.sequence() == sequence)
        .singleElement()
        .satisfies(delivery -> shouldBe(delivery, sequence, 2));
  }

  /** Those that were out first, then all in the order of their keys, but for the one that waits. */
  private static void shouldGiveByKey(Subscriber<String> keyed) throws InterruptedException {
    assertThat(keyed.config().equalsButForStart(FormatFixture.byKey())).isTrue();
    Map<String, Long> last = new TreeMap<>();
    int given = 0;
    for (List<Delivery<String>> all = keyed.batch(200, Duration.ZERO);
        !all.isEmpty();
        all = keyed.batch(200, Duration.ZERO)) {
      assertThat(all)
          .extracting(Delivery::key)
          .filteredOn(Objects::nonNull)
          .doesNotHaveDuplicates();
      for (Delivery<String> one : all) {
        shouldBe(one, (int) one.sequence(), one.sequence() == 61 ? 2 : 1);
        if (one.key() != null) {
          Long before = last.put(one.key(), one.sequence());
          assertThat(before == null || before < one.sequence()).isTrue();
        }
        given++;
      }
      keyed.ack(all);
    }
    assertThat(given).isEqualTo(FormatFixture.MESSAGES - 60 - 3);
    assertThat(keyed.stats().lag()).isEqualTo(1);
  }

  private static void shouldBe(Delivery<String> delivery, int sequence, int attempt) {
    Message<String> expected = FormatFixture.message(sequence);
    assertThat(delivery.sequence()).isEqualTo(sequence);
    assertThat(delivery.attempt()).as("attempt of %d", sequence).isEqualTo(attempt);
    assertThat(delivery.data()).isEqualTo(expected.data());
    assertThat(delivery.key()).isEqualTo(expected.key());
    assertThat(delivery.headers().keySet()).isEqualTo(expected.headers().keySet());
    expected
        .headers()
        .forEach((name, value) -> assertThat(delivery.headers()).containsEntry(name, value));
    int published = sequence >= 60 && sequence < 80 ? sequence / 10 * 10 : sequence;
    Duration since = Duration.between(FormatFixture.BEGIN, delivery.publishedAt());
    assertThat(since).isPositive().isLessThanOrEqualTo(Duration.ofMillis(published + 1));
  }

  @Test
  void shouldHoldEveryKindOfFileThatIsWrittenToday() throws Exception {
    Path zip = base.resolve("today.zip.gz");
    FormatFixture.write(base.resolve("work"), zip);
    try (InputStream today = Files.newInputStream(zip);
        InputStream format1 = packed()) {
      assertThat(FormatFixture.kinds(format1)).isEqualTo(FormatFixture.kinds(today));
    }
  }

  @Test
  void shouldRefuseANewerQueueAndTouchNothing() throws Exception {
    Path at = unpacked("closed");
    Path file = at.resolve("queues/orders/queue.json");
    ObjectNode json = CheckedJson.read(file);
    json.remove("check");
    CheckedJson.write(file, json.put("format", 2));
    shouldRefuse(at, "queue.json has format version 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cursor", "ack-1.snap", "ack-1.log"})
  void shouldRefuseNewerAcknowledgementsAndTouchNothing(String name) throws Exception {
    Path at = unpacked("closed");
    Path own = at.resolve("queues/orders/subscribers/billing");
    makeNewer(own.resolve(name));
    shouldRefuse(at, name + " has format version 2");
  }

  private static void makeNewer(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int length =
        file.endsWith("cursor") ? 32 : file.toString().endsWith("log") ? 60 : bytes.length - 4;
    bytes[8] = 2;
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    for (int i = 0; i < 4; i++) {
      bytes[length + i] = (byte) (crc.getValue() >>> (8 * i));
    }
    Files.write(file, bytes);
  }

  private static void shouldRefuse(Path at, String message) throws IOException {
    Map<Path, String> before = contents(at);
    assertThatThrownBy(() -> FormatFixture.queue(at).open())
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("1");
    assertThat(contents(at)).isEqualTo(before);
  }

  private static Map<Path, String> contents(Path at) throws IOException {
    Map<Path, String> contents = new TreeMap<>();
    try (Stream<Path> all = Files.walk(at)) {
      for (Path file : all.filter(FormatTest::isData).toList()) {
        CRC32C crc = new CRC32C();
        if (Files.size(file) < 1 << 20) { // not the holes of blocks
          crc.update(Files.readAllBytes(file));
        }
        contents.put(file, crc.getValue() + " " + Files.getLastModifiedTime(file));
      }
    }
    return contents;
  }

  /** All but the record of who has the directory open, which each opening writes. */
  private static boolean isData(Path file) {
    return Files.isRegularFile(file) && !file.endsWith("owner");
  }

  private Path unpacked(String state) throws IOException {
    Path target = base.resolve("format-1");
    try (InputStream in = packed()) {
      FormatFixture.unpack(in, state, target);
    }
    return target;
  }

  private static InputStream packed() {
    return Objects.requireNonNull(FormatTest.class.getResourceAsStream("/format-1.zip.gz"));
  }

  /** No test: makes the file. */
  @Test
  @EnabledIfSystemProperty(named = "river.format.write", matches = ".+")
  void shouldWriteTheFileWhenAsked() throws Exception {
    Path zip = Path.of(System.getProperty("river.format.write"));
    FormatFixture.write(base.resolve("work"), zip);
    assertThat(Files.size(zip)).isLessThan(100_000);
  }
}
