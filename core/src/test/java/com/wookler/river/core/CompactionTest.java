package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue that keeps the last message of each key, compared with a map. */
class CompactionTest {
  private static final int KEYS = 40;
  private static final Duration DAY = Duration.ofDays(1);
  private static final String LONG = "x".repeat(1_000); // so that a block is worth it

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final Map<String, String> model = new TreeMap<>(); // without those that were deleted
  private final List<String> unkeyed = new ArrayList<>();

  private MessageQueue.Builder<String> builder(Path base) {
    return MessageQueue.builder("states", MessageConverter.utf8())
        .directory(base)
        .blockBytes(256 << 10)
        .maxMessageBytes(16 << 10)
        .recycle(SizeBasedRecycle.ofMessages(50))
        .keyIndex(true)
        .compact(true)
        .compactBytes(1L << 40) // not in the background
        .timeSource(time);
  }

  private MessageQueue<String> open(boolean backup) {
    MessageQueue.Builder<String> builder = builder(directory.resolve("data"));
    return (backup ? builder.backup(directory.resolve("backup"), Duration.ZERO) : builder).open();
  }

  private Message<String> change(Random random, int number) {
    if (random.nextInt(10) == 0) {
      unkeyed.add("note " + number);
      return Message.of("note " + number);
    }
    String key = "key-" + (int) Math.abs(random.nextGaussian() * KEYS / 3);
    if (random.nextInt(8) == 0) {
      model.remove(key);
      return Message.of("").withKey(key);
    }
    String value = "value " + number + "x".repeat(random.nextInt(200));
    model.put(key, value);
    return Message.of(value).withKey(key).withHeader("trace", ("t" + number).getBytes(UTF_8));
  }

  private void publish(MessageQueue<String> queue, Random random, int messages) {
    for (int i = 0; i < messages; ) {
      time.advance(Duration.ofMillis(1));
      int batch = random.nextInt(5) == 0 ? 1 + random.nextInt(6) : 1;
      List<Message<String>> all = new ArrayList<>();
      for (int j = 0; j < batch; j++) {
        all.add(change(random, i++));
      }
      queue.publisher().putAll(all, Durability.MEMORY);
    }
    queue.force();
  }

  /** Compares what a new subscriber gets, and the look-ups, with the map. */
  private void assertIsModel(MessageQueue<String> queue, String name) {
    Map<String, String> replayed = new TreeMap<>();
    List<String> notes = new ArrayList<>();
    for (Delivery<String> next : replay(queue, name)) {
      String key = next.key();
      if (key == null) {
        notes.add(next.data());
      } else if (next.data().isEmpty()) {
        replayed.remove(key);
      } else {
        replayed.put(key, next.data());
      }
    }
    assertThat(replayed).isEqualTo(model);
    assertThat(notes).isEqualTo(unkeyed);
    for (int i = 0; i < 2 * KEYS; i++) {
      String key = "key-" + i;
      assertThat(queue.latest(key).map(Delivery::data).orElse(null)).isEqualTo(model.get(key));
    }
    assertThat(queue.stats().lost()).isZero();
  }

  private static List<Delivery<String>> replay(MessageQueue<String> queue, String name) {
    List<Delivery<String>> all = new ArrayList<>();
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder(name).start(Position.sequence(0)).build());
    for (var next = subscriber.next(); next != null; next = subscriber.next()) {
      all.add(next);
      assertThat(queue.read(next.sequence()).orElseThrow().data()).isEqualTo(next.data());
    }
    assertThat(subscriber.stats().lag()).isZero();
    queue.removeSubscriber(name);
    return all;
  }

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "3,true", "4,true"})
  void shouldKeepTheLastMessageOfEachKeyAsAMapDoes(long seed, boolean backup) throws Exception {
    Random random = new Random(seed);
    for (int run = 0; run < 3; run++) {
      try (MessageQueue<String> queue = open(backup)) {
        Subscriber<String> reader = queue.subscriber("reader");
        publish(queue, random, 600);
        for (var next = reader.next(); next != null; next = reader.next()) {
          // all are completed
        }
        if (backup) {
          await().until(() -> advance() && queue.stats().archived() > 5);
        }
        assertIsModel(queue, "before");
        long removed = queue.compact();
        assertThat(removed).isGreaterThan(300);
        assertThat(queue.compact()).isZero();
        assertThat(queue.stats().compacted()).isEqualTo(removed);
        assertIsModel(queue, "after");
      }
    }
    try (MessageQueue<String> queue = open(backup)) {
      assertIsModel(queue, "again");
      assertThat(queue.stats().nextSequence()).isGreaterThanOrEqualTo(1_800);
    }
    for (StoredBlock stored : BackupFiles.scan(directory.resolve("backup/states")).blocks()) {
      assertThat(BackupFiles.verify(stored.file(), bytes -> {}).damages()).isEmpty();
    }
  }

  private boolean advance() {
    time.advance(Duration.ofMillis(200));
    return true;
  }

  private static long bytes(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Test
  void shouldFreeTheSpaceOfWhatItRemoves() throws Exception {
    try (MessageQueue<String> queue =
        builder(directory.resolve("data")).recycle(SizeBasedRecycle.ofMessages(500)).open()) {
      for (int i = 0; i < 3_000; i++) {
        queue.publisher().publish(Message.of("x".repeat(300) + i).withKey("key-" + i % 7));
      }
      long before = queue.stats().bytes();
      assertThat(queue.compact()).isBetween(2_400L, 3_000L);
      assertThat(queue.stats().bytes()).isLessThan(before / 2 + 100_000);
      assertThat(queue.stats().blocks()).isEqualTo(7);
    }
    assertThat(bytes(directory.resolve("data/states/log"))).isLessThan(1 << 20);
  }

  @Test
  void shouldRemoveDeleteMarkersAfterTheirTimeAndNeverBringADeletedKeyBack() {
    try (MessageQueue<String> queue = open(false)) {
      for (int i = 0; i < 200; i++) {
        String value = i % 50 == 49 ? "" : "value " + i;
        queue.publisher().publish(Message.of(value).withKey("key"));
      }
      queue.publisher().publish("the active block");
      assertThat(queue.compact()).isEqualTo(199);
      assertThat(replay(queue, "one")).hasSize(2).first().matches(all -> all.data().isEmpty());
      assertThat(queue.latest("key")).isEmpty();
      time.advance(DAY.plusSeconds(1));
      assertThat(queue.compact()).isOne();
      assertThat(replay(queue, "two")).hasSize(1);
      assertThat(queue.latest("key")).isEmpty();
      queue.publisher().publish(Message.of("new").withKey("key"));
      assertThat(queue.latest("key").orElseThrow().data()).isEqualTo("new");
    }
  }

  @Test
  void shouldRemoveNothingThatASubscriberHasStillToSee() {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> slow =
          queue.subscriber(SubscriberConfig.builder("slow").ack(true).window(2_000).build());
      for (int i = 0; i < 200; i++) {
        queue.publisher().publish(Message.of("value " + i).withKey("key-" + i % 5));
      }
      assertThat(queue.compact()).isZero();
      for (int i = 0; i < 120; i++) {
        slow.next().ack();
      }
      assertThat(queue.compact()).isEqualTo(100);
      List<String> rest = new ArrayList<>();
      for (var next = slow.next(); next != null; next = slow.next()) {
        rest.add(next.data());
        next.ack();
      }
      assertThat(rest).hasSize(80).startsWith("value 120").endsWith("value 199");
    }
  }

  @Test
  void shouldRemoveWhatASubscriberHasNotSeenIfItMay() throws Exception {
    try (MessageQueue<String> queue =
        builder(directory.resolve("data")).compactUnseen(true).open()) {
      Subscriber<String> slow =
          queue.subscriber(
              SubscriberConfig.builder("slow")
                  .ack(true)
                  .window(2_000)
                  .ackTimeout(Duration.ofSeconds(10))
                  .build());
      for (int i = 0; i < 220; i++) {
        queue.publisher().publish(Message.of("value " + i).withKey("key-" + i % 70));
      }
      List<Delivery<String>> taken = slow.batch(100, Duration.ZERO);
      assertThat(taken).hasSize(100);
      assertThat(queue.compact()).isBetween(110L, 150L);
      taken.get(3).nack();
      taken.get(99).release();
      taken.get(5).reject("no");
      time.advance(Duration.ofSeconds(11));
      Map<String, String> last = new TreeMap<>();
      for (var next = slow.next(); next != null; next = slow.next()) {
        last.put(next.key(), next.data());
        next.ack();
      }
      for (int i = 0; i < 70; i++) {
        int number = i + 140 + (i < 10 ? 70 : 0);
        assertThat(last).containsEntry("key-" + i, "value " + number);
      }
      assertThat(slow.stats().lag()).isZero();
      assertThat(queue.stats().lost()).isZero();
    }
  }

  @Test
  void shouldCompactInTheBackgroundByAgeAndSize() {
    try (MessageQueue<String> queue =
        builder(directory.resolve("data"))
            .compactBytes(20_000)
            .compactAge(Duration.ofMinutes(5))
            .open()) {
      for (int i = 0; i < 320; i++) {
        queue.publisher().publish(Message.of("x".repeat(100) + i).withKey("key-" + i % 5));
      }
      queue.force();
      assertThat(queue.stats().compacted()).isZero();
      for (int i = 0; i < 20; i++) {
        advance();
      }
      assertThat(queue.stats().compacted()).isZero();
      time.advance(Duration.ofMinutes(6));
      for (int i = 0; i < 320; i++) {
        queue.publisher().publish(Message.of("x".repeat(100) + i).withKey("key-" + i % 5));
      }
      await().until(() -> advance() && queue.stats().compacted() >= 250);
      assertThat(queue.latest("key-3").orElseThrow().data()).endsWith("318");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCompactByAgeAloneWhatDoesNotGrow(boolean backup) {
    Path data = directory.resolve("data");
    MessageQueue.Builder<String> builder = builder(data).compactAge(Duration.ofHours(1));
    if (backup) {
      builder.backup(directory.resolve("backup"), Duration.ZERO);
    }
    try (MessageQueue<String> queue = builder.open()) {
      Subscriber<String> reader = queue.subscriber("reader");
      publishValues(queue, 101);
      drain(reader); // both blocks are completed
      time.advance(Duration.ofMinutes(59));
      publishValues(queue, 50); // in a block that is younger
      drain(reader);
      assertThat(queue.stats().compacted()).isZero();
      time.advance(Duration.ofMinutes(1));
      await().until(() -> advance() && queue.stats().compacted() == 100);
      time.advance(Duration.ofHours(1).plusMinutes(1)); // and then that one
      await().until(() -> advance() && queue.stats().compacted() == 146);
    }
  }

  /** Without a later message: what grew is the business of the next pass. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldContinueAPassOnceASlowSubscriberHasMovedOn(boolean backup) {
    Path data = directory.resolve("data");
    MessageQueue.Builder<String> builder = builder(data).compactBytes(200_000);
    if (backup) {
      builder.backup(directory.resolve("backup"), Duration.ZERO);
    }
    try (MessageQueue<String> queue = builder.open()) {
      Subscriber<String> slow =
          queue.subscriber(SubscriberConfig.builder("slow").ack(true).window(2_000).build());
      publishValues(queue, 260); // five closed blocks
      ack(slow, 60);
      await().until(() -> advance() && queue.stats().compacted() == 50);
      ack(slow, 100); // three blocks are completed
      await().until(() -> advance() && queue.stats().compacted() == 150);
      slow.close(); // of one that is not open, too, it is known how far it came
      Subscriber<String> again = queue.subscriber("slow");
      ack(again, 40);
      await().until(() -> advance() && queue.stats().compacted() == 200);
      ack(again, 60);
      await().until(() -> advance() && queue.stats().compacted() == 250);
      assertThat(replay(queue, "all")).hasSize(10).first().matches(all -> all.sequence() == 250);
    }
  }

  /** A message that was the last of its key when the pass began must not outlive its marker. */
  @Test
  void shouldLeaveDeleteMarkersToTheNextPassThatCameWhileOneHadStopped() {
    try (MessageQueue<String> queue =
        builder(directory.resolve("data"))
            .compactBytes(100_000)
            .compactDeletesAge(Duration.ofSeconds(1))
            .open()) {
      Subscriber<String> slow =
          queue.subscriber(SubscriberConfig.builder("slow").ack(true).window(2_000).build());
      queue.publisher().publish(Message.of(LONG).withKey("alone"));
      publishValues(queue, 129);
      ack(slow, 60);
      await().until(() -> advance() && queue.stats().compacted() == 49);
      queue.publisher().publish(Message.of("").withKey("alone"));
      for (int i = 0; i < 49; i++) {
        queue.publisher().publish("small " + i);
      }
      queue.force();
      time.advance(Duration.ofSeconds(2)); // the marker is old enough
      ack(slow, 110);
      await().until(() -> advance() && queue.stats().compacted() == 124);
      time.advance(Duration.ofMinutes(1));
      for (int i = 0; i < 50; i++) {
        advance();
      }
      assertThat(queue.latest("alone")).isEmpty();
      assertThat(replay(queue, "all").stream().filter(each -> "alone".equals(each.key())))
          .extracting(Delivery::data)
          .endsWith("");
    }
  }

  private static void ack(Subscriber<String> subscriber, int messages) {
    for (int i = 0; i < messages; i++) {
      subscriber.next().ack();
    }
  }

  private static void drain(Subscriber<String> reader) {
    while (reader.next() != null) {
      // it is completed by that
    }
  }

  private static void publishValues(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(Message.of(LONG + i).withKey("key-" + i % 5));
    }
    queue.force();
  }

  /** No pass can see it before, and none would come for it afterwards. */
  @Test
  void shouldCountABlockOnlyOnceItIsClosed() {
    try (MessageQueue<String> queue = builder(directory.resolve("data")).compactBytes(50).open()) {
      for (int i = 0; i < 30; i++) {
        queue.publisher().publish(Message.of(LONG + i).withKey("key"));
      }
      queue.force();
      await().during(Duration.ofMillis(300)).until(this::advance); // a pass would come meanwhile
      for (int i = 30; i < 50; i++) {
        queue.publisher().publish(Message.of(LONG + i).withKey("key"));
      }
      queue.publisher().publish("short");
      queue.force();
      await().until(() -> advance() && queue.stats().compacted() == 49);
    }
  }

  /** The oldest block stays in the log, and says nothing about those after it. */
  @Test
  void shouldGoOnOnceADelayedMessageWasDelivered() {
    try (MessageQueue<String> queue = builder(directory.resolve("data")).compactBytes(50).open()) {
      queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofSeconds(1)));
      for (int block = 1; block <= 5; block++) {
        for (int i = 0; i < 50; i++) {
          queue.publisher().publish(Message.of(LONG + i).withKey("key"));
        }
        queue.force();
        long removed = 50L * block - 10; // those of the block that is not closed may stay
        await().until(() -> advance() && queue.stats().compacted() >= removed - 50);
      }
      queue.publisher().publish("the active block");
      queue.force();
      await().until(() -> advance() && queue.stats().compacted() >= 240);
    }
  }

  @Test
  void shouldRemoveDeleteMarkersByAgeAloneInWhatDoesNotGrow() {
    try (MessageQueue<String> queue = builder(directory.resolve("data")).compactBytes(50).open()) {
      for (int i = 0; i < 49; i++) {
        queue.publisher().publish(Message.of(LONG + i).withKey("key"));
      }
      queue.publisher().publish(Message.of("").withKey("key"));
      queue.publisher().publish("the active block");
      queue.force();
      await().until(() -> advance() && queue.stats().compacted() == 49);
      time.advance(DAY);
      await().until(() -> advance() && queue.stats().compacted() == 50);
    }
  }

  /** Behind a message that is not worth it to write its block anew. */
  @Test
  void shouldRemoveDeleteMarkersByAgeInASecondPassThatSparesNoBlock() {
    try (MessageQueue<String> queue = builder(directory.resolve("data")).compactBytes(50).open()) {
      queue.publisher().publish(Message.of("value").withKey("key"));
      for (int i = 0; i < 49; i++) {
        queue.publisher().publish("x".repeat(200));
      }
      for (int i = 0; i < 49; i++) {
        queue.publisher().publish(Message.of(LONG + i).withKey("other"));
      }
      queue.publisher().publish(Message.of("").withKey("key"));
      queue.publisher().publish("the active block");
      queue.force();
      await().until(() -> advance() && queue.stats().compacted() == 48);
      for (int day = 0; day < 2; day++) {
        assertThat(queue.read("key", 0, 9)).hasSize(2);
        time.advance(DAY);
        await().during(Duration.ofMillis(300)).until(this::advance);
      }
      await().until(() -> advance() && queue.stats().compacted() == 50);
      assertThat(queue.read("key", 0, 9)).isEmpty();
    }
  }

  @Test
  void shouldKeepCompletedBlocksWithoutABackupUntilNothingIsLeftInThem() {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> reader = queue.subscriber("reader");
      for (int i = 0; i < 120; i++) {
        queue.publisher().publish(Message.of("value " + i).withKey("key-" + i % 60));
      }
      for (var next = reader.next(); next != null; next = reader.next()) {
        // all are completed
      }
      queue.force();
      for (int i = 0; i < 10; i++) {
        advance();
      }
      assertThat(queue.stats().firstSequence()).isZero();
      queue.compact();
      await().until(() -> advance() && queue.stats().firstSequence() == 50);
      assertThat(queue.latest("key-55").orElseThrow().data()).isEqualTo("value 115");
      List<Delivery<String>> page = queue.read(0, 9);
      assertThat(page).hasSize(9).first().extracting(Delivery::sequence).isEqualTo(60L);
      assertThat(queue.read(0)).isEmpty();
      assertThat(queue.read(-1, 9)).isEmpty();
      assertThat(queue.nextFrom(0)).hasValue(50);
      assertThat(queue.nextFrom(119)).hasValue(119);
      assertThat(queue.nextFrom(120)).isEmpty();
    }
  }

  @Test
  void shouldKeepWhatWasDelayedAndTheMarkersThatItNeeds() throws Exception {
    try (MessageQueue<String> queue = open(false)) {
      queue
          .publisher()
          .publish(Message.of("late").withKey("key").deliverAfter(Duration.ofMinutes(1)));
      queue.publisher().publish(Message.of("early").withKey("key"));
      time.advance(Duration.ofMinutes(2));
      await().until(() -> advance() && queue.stats().delayed() == 0);
      queue.publisher().publish(Message.of("").withKey("key"));
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("note " + i);
      }
      time.advance(DAY.multipliedBy(2));
      queue.force();
      await().until(() -> advance() && queue.compact() + queue.stats().compacted() > 0);
      assertThat(queue.read(1)).isEmpty();
      assertThat(queue.latest("key")).isEmpty();
      assertThat(queue.compact()).isZero();
      assertThat(replay(queue, "all")).hasSize(102);
    }
  }

  /** What a kill leaves at each step is a queue that has lost nothing. */
  @Test
  void shouldLoseNothingWhenItIsKilledAtAnyStep() throws Exception {
    Path data = directory.resolve("data");
    Path old = directory.resolve("old");
    Path compacted = directory.resolve("compacted");
    try (MessageQueue<String> queue = open(false)) {
      publish(queue, new Random(7), 260);
      await().until(() -> advance() && isCopied(data, old));
      queue.compact();
      await().until(() -> advance() && isCopied(data, compacted));
    }
    for (int block = 1; block < 5; block++) {
      for (Killed at : Killed.values()) {
        Path copy = fresh(directory.resolve("copy"));
        DirectoryCopy.of(old, copy);
        String name = "b0000000" + block + ".cq4";
        Path log = copy.resolve("states/log");
        Path after = compacted.resolve("states/log");
        Path seal = log.resolve(name.replace("cq4", "seal"));
        Path newSeal = after.resolve(seal.getFileName());
        if (at == Killed.WRITING) {
          half(after.resolve(name), log.resolve(name + ".tmp"));
        } else {
          Files.copy(after.resolve(name), log.resolve(name + ".tmp"));
          Files.copy(newSeal, Path.of(seal + ".after.tmp"));
        }
        if (at.compareTo(Killed.UNSEALED) >= 0) {
          Files.move(seal, Path.of(seal + ".before.tmp"));
        }
        if (at.compareTo(Killed.RENAMED) >= 0) {
          Files.move(
              log.resolve(name + ".tmp"), log.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
        if (at == Killed.SEALED) {
          Files.move(Path.of(seal + ".after.tmp"), seal);
        }
        try (MessageQueue<String> queue = builder(copy).open()) {
          assertIsModel(queue, "killed");
          queue.compact();
          assertIsModel(queue, "compacted");
        }
        try (Stream<Path> files = Files.list(log)) {
          assertThat(files.map(Path::toString)).noneMatch(file -> file.contains(".seal."));
        }
      }
    }
  }

  /** Where a kill may come while a block's file is replaced. */
  private enum Killed {
    WRITING,
    WRITTEN,
    UNSEALED,
    RENAMED,
    SEALED
  }

  /** Where a kill may come while a backup is replaced. */
  private enum KilledBackup {
    UNPACKING,
    COMPACTING,
    COMPRESSING,
    NO_NAME,
    BOTH,
    OLD_SEAL
  }

  @Test
  void shouldLoseNothingWhenItIsKilledAtAnyStepOfABackup() throws Exception {
    Path old = directory.resolve("old");
    Path compacted = directory.resolve("compacted");
    try (MessageQueue<String> queue = open(true)) {
      Subscriber<String> reader = queue.subscriber("reader");
      publish(queue, new Random(8), 260);
      for (var next = reader.next(); next != null; next = reader.next()) {
        // all are completed
      }
      await().until(() -> advance() && queue.stats().firstSequence() > 240);
    }
    DirectoryCopy.of(directory.resolve("data"), old.resolve("data"));
    DirectoryCopy.of(directory.resolve("backup"), old.resolve("backup"));
    time.advance(DAY.multipliedBy(2)); // delete markers go, too
    MessageQueue.Builder<String> alone = // no pass in the background
        builder(directory.resolve("data"))
            .compact(false)
            .compactBytes(64 << 20)
            .backup(directory.resolve("backup"), Duration.ZERO);
    try (MessageQueue<String> queue = alone.open()) {
      assertThat(queue.compact()).isPositive();
    }
    DirectoryCopy.of(directory.resolve("backup"), compacted);
    for (int block = 1; block < 5; block++) {
      for (KilledBackup at : KilledBackup.values()) {
        DirectoryCopy.delete(directory.resolve("data"));
        DirectoryCopy.delete(directory.resolve("backup"));
        DirectoryCopy.of(old.resolve("data"), directory.resolve("data"));
        DirectoryCopy.of(old.resolve("backup"), directory.resolve("backup"));
        for (int done = 1; done < block; done++) { // what the pass has compacted before
          Path before = backupOf(directory.resolve("backup"), done);
          Path after = backupOf(compacted, done);
          Files.copy(after, before.resolveSibling(after.getFileName()));
          Files.copy(sealOf(after), sealOf(before.resolveSibling(after.getFileName())));
          Files.delete(before);
          Files.delete(sealOf(before));
        }
        killed(at, block, compacted);
        try (MessageQueue<String> queue = open(true)) {
          assertIsModel(queue, "killed");
          queue.compact();
          assertIsModel(queue, "compacted");
          long backups = queue.stats().backups();
          try (Stream<Path> files = Files.walk(directory.resolve("backup"))) {
            assertThat(files.filter(Files::isRegularFile)).hasSize((int) (2 * backups));
          }
        }
      }
    }
  }

  private void killed(KilledBackup at, int block, Path compacted) throws IOException {
    Path before = backupOf(directory.resolve("backup"), block);
    Path after = backupOf(compacted, block);
    Path beside = before.resolveSibling("b0000000" + block + "-2.cq4.zst");
    Path seal = sealOf(beside);
    switch (at) {
      case UNPACKING -> half(after, Path.of(seal + ".tmp"));
      case COMPACTING -> {
        Files.copy(after, Path.of(seal + ".tmp"));
        half(after, Path.of(seal + ".tmp.tmp"));
      }
      case COMPRESSING -> {
        Files.copy(after, Path.of(seal + ".tmp"));
        half(after, Path.of(beside + ".tmp"));
      }
      case NO_NAME -> {
        Files.copy(sealOf(after), seal);
        Files.copy(after, Path.of(beside + ".tmp"));
      }
      case BOTH, OLD_SEAL -> {
        Files.copy(sealOf(after), seal);
        Files.copy(after, beside);
        if (at == KilledBackup.OLD_SEAL) {
          Files.delete(before);
        }
      }
    }
  }

  private static Path backupOf(Path backups, int block) throws IOException {
    try (Stream<Path> all = Files.walk(backups)) {
      String start = "b0000000" + block;
      return all.filter(file -> file.getFileName().toString().startsWith(start))
          .filter(file -> file.toString().endsWith(".zst"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static Path sealOf(Path backup) {
    return Path.of(backup.toString().replace(".cq4.zst", ".seal"));
  }

  private static void half(Path from, Path to) throws IOException {
    byte[] whole = Files.readAllBytes(from);
    Files.write(to, Arrays.copyOf(whole, whole.length / 2));
  }

  private static boolean isCopied(Path from, Path to) throws IOException {
    return KilledCopy.of(from, fresh(to));
  }

  private static Path fresh(Path path) throws IOException {
    DirectoryCopy.delete(path);
    return Files.createDirectories(path);
  }

  @Test
  void shouldKeepAThousandMessagesOfAThousandKeys() throws Exception {
    Path log = directory.resolve("data/states/log");
    try (MessageQueue<String> queue =
        builder(directory.resolve("data"))
            .blockBytes(4 << 20)
            .recycle(SizeBasedRecycle.ofMessages(25_000))
            .open()) {
      List<Message<String>> batch = new ArrayList<>();
      for (int i = 0; i < 100_000; i++) {
        batch.add(Message.of("value " + i).withKey("key-" + i * 7919 % 1_000));
        if (batch.size() == 100) {
          queue.publisher().putAll(batch, Durability.MEMORY);
          batch.clear();
        }
      }
      long before = queue.stats().bytes();
      assertThat(queue.compact()).isEqualTo(99_000);
      assertThat(queue.read(0, Integer.MAX_VALUE)).hasSize(1_000);
      assertThat(queue.stats().bytes()).isLessThan(before / 8);
    }
    try (Stream<Path> files = Files.list(log)) {
      long used = 0;
      for (Path file : files.filter(each -> each.toString().endsWith(".cq4")).toList()) {
        used += file.toString().endsWith("b00000005.cq4") ? 0 : Files.size(file);
      }
      assertThat(used).isLessThan(2 << 20);
    }
  }

  @Test
  void shouldNotBringADeletedKeyBackWhereTheMessageAfterItWasDeleted() {
    try (MessageQueue<String> queue = open(false)) {
      queue.publisher().publish(Message.of("one").withKey("key"));
      queue.publisher().publish(Message.of("").withKey("key"));
      queue.publisher().publish(Message.of("two").withKey("key"));
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("note " + i);
      }
      assertThat(queue.delete(2, 3)).isOne();
      time.advance(DAY.plusSeconds(1));
      assertThat(queue.compact()).isZero();
      assertThat(replay(queue, "one")).element(1).matches(all -> all.data().isEmpty());
      queue.publisher().publish(Message.of("three").withKey("key"));
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("note " + i);
      }
      queue.force();
      assertThat(queue.compact()).isEqualTo(3); // of the key, with the deleted one
      assertThat(replay(queue, "two")).first().matches(all -> all.data().equals("note 0"));
    }
  }

  @Test
  void shouldRemoveCompletedBlocksWithoutABackupWhereAllIsDeleted() {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> reader = queue.subscriber("reader");
      for (int i = 0; i < 120; i++) {
        queue.publisher().publish(Message.of("value " + i).withKey("key-" + i));
      }
      for (var next = reader.next(); next != null; next = reader.next()) {
        // all are completed
      }
      queue.force();
      assertThat(queue.trim(Trim.before(50))).isEqualTo(50);
      await().until(() -> advance() && queue.stats().firstSequence() == 50);
    }
  }

  @Test
  void shouldKeepTheMessageBeforeOneThatWasDeleted() {
    try (MessageQueue<String> queue = open(false)) {
      queue.publisher().publish(Message.of("one").withKey("key"));
      queue.publisher().publish(Message.of("two").withKey("key"));
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("note " + i);
      }
      assertThat(queue.delete(1, 2)).isOne();
      assertThat(queue.compact()).isZero();
      assertThat(queue.read(0).orElseThrow().data()).isEqualTo("one");
      assertThat(queue.read(1)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLeaveAllAsItIsWhileTheDiskIsFull(boolean backup) throws Exception {
    SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), 24);
    MessageQueue.Builder<String> builder = builder(disk.path().resolve("data"));
    if (backup) {
      builder.backup(disk.path().resolve("backup"), Duration.ZERO);
    }
    try (MessageQueue<String> queue = builder.open()) {
      Subscriber<String> reader = queue.subscriber("reader");
      publish(queue, new Random(11), 400);
      for (var next = reader.next(); next != null; next = reader.next()) {
        // all are completed
      }
      await().until(() -> advance() && (!backup || queue.stats().firstSequence() >= 350));
      int failed = 0;
      for (long left = 0; left < 200_000; left += 12_288) {
        disk.fillBut(left);
        try {
          queue.compact();
        } catch (RiverException e) {
          assertThat(e).hasMessageContaining("could not be compacted");
          failed++;
        }
        assertReadsModel(queue);
        disk.free();
      }
      assertThat(failed).isPositive();
      queue.compact();
      assertIsModel(queue, "free");
      assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    } finally {
      disk.unmount();
    }
  }

  private void assertReadsModel(MessageQueue<String> queue) {
    Map<String, String> read = new TreeMap<>();
    queue.read(0, Integer.MAX_VALUE).stream()
        .filter(message -> message.key() != null)
        .forEach(message -> read.put(message.key(), message.data()));
    read.values().removeIf(String::isEmpty);
    assertThat(read).isEqualTo(model);
  }

  /** Blocks are replaced under those who read them. */
  @Test
  void shouldServeReadersWhileBlocksAreReplaced() throws Exception {
    Random random = new Random(9);
    AtomicBoolean done = new AtomicBoolean();
    try (MessageQueue<String> queue =
        builder(directory.resolve("data")).compactUnseen(true).open()) {
      publish(queue, random, 300);
      List<CompletableFuture<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int number = i;
        readers.add(CompletableFuture.supplyAsync(() -> read(queue, number, done)));
      }
      for (int i = 0; i < 8; i++) {
        publish(queue, random, 100);
        queue.compact();
      }
      done.set(true);
      for (CompletableFuture<Long> reader : readers) {
        assertThat(reader.join()).isPositive();
      }
      assertIsModel(queue, "last");
      assertThat(queue.stats().lost()).isZero();
    }
    assertThat(directory.resolve("data/states/damage.log")).doesNotExist();
  }

  private static long read(MessageQueue<String> queue, int number, AtomicBoolean done) {
    Random random = new Random(number);
    long read = 0;
    String name = "reader-" + number;
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder(name).ack(true).window(500).build());
    while (!done.get() || read == 0) {
      long end = queue.stats().nextSequence();
      subscriber.seek(Position.sequence(random.nextLong(end)));
      long before = -1;
      for (int i = 0; i < 150; i++) {
        Delivery<String> next = subscriber.next();
        if (next == null) {
          break;
        }
        if (random.nextInt(20) == 0) {
          next.release();
        } else {
          assertThat(next.sequence()).isNotEqualTo(before);
          before = next.sequence();
          next.ack();
        }
        read++;
      }
      long at = random.nextLong(end);
      queue.read(at).ifPresent(found -> assertThat(found.sequence()).isEqualTo(at));
      queue.latest("key-" + random.nextInt(KEYS));
    }
    return read;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepTheLastMessageWhereAnOlderOneIsRedriven(boolean again) throws Exception {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      queue.publisher().publish(Message.of("old").withKey("key"));
      billing.next().reject("no");
      publishValues(queue, 49);
      queue.publisher().publish(Message.of("new").withKey("key"));
      await().until(() -> billing.deadLetters().size() == 1);
      assertThat(billing.deadLetters().redrive(1)).isOne();
      publishValues(queue, 60);
      for (var next = billing.next(); next != null; next = billing.next()) {
        next.ack();
      }
    }
    if (again) {
      DataDirectory.deleteTree(directory.resolve("data/states/keys")); // which is made anew
    }
    try (MessageQueue<String> queue = open(false)) {
      assertThat(queue.latest("key").orElseThrow().data()).isEqualTo("new");
      assertThat(queue.compact()).isGreaterThan(90);
      assertThat(queue.latest("key").orElseThrow().data()).isEqualTo("new");
      assertThat(queue.read("key", 0, 9)).hasSize(1);
      assertThat(replay(queue, "all"))
          .filteredOn(each -> "key".equals(each.key()))
          .extracting(Delivery::data)
          .containsExactly("new");
    }
  }

  @Test
  void shouldNeedAnIndexOfKeys() {
    assertThatThrownBy(() -> builder(directory).keyIndex(false).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(
            "queue.compact is true, but without queue.index.keys it has no effect");
  }

  @Test
  void shouldRefuseOptionsOfCompactionWithoutIt() {
    List<UnaryOperator<MessageQueue.Builder<String>>> changes =
        List.of(
            to -> to.compactAge(Duration.ofHours(1)),
            to -> to.compactBytes(7),
            to -> to.compactDeletesAge(Duration.ofHours(1)),
            to -> to.compactUnseen(true));
    for (UnaryOperator<MessageQueue.Builder<String>> change : changes) {
      MessageQueue.Builder<String> plain =
          MessageQueue.builder("plain", MessageConverter.utf8()).directory(directory);
      assertThatThrownBy(() -> change.apply(plain).open())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageMatching(
              "queue plain: queue\\.compact\\.\\S+ is \\S+, but without queue\\.(compact|index\\.keys) it"
                  + " has no effect;.*");
    }
  }
}
