package com.wookler.river.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
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
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Erases messages of queues that have copies of them in each kind of file, and searches these. */
class EraseTest extends ToolsFixture {
  private static final String SECRET = "SECRET";
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue<byte[]> openAll(Path base) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(base.resolve("data"))
        .backup(base.resolve("backup"), Duration.ZERO)
        .maxMessageBytes(16 << 10)
        .blockBytes(256 << 10)
        .keyIndex(true)
        .deduplicate(Duration.ofDays(1))
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time)
        .open();
  }

  private static Message<byte[]> secret(int number) {
    return Message.of(bytes(SECRET + "-data-" + number))
        .withKey(SECRET + "-key")
        .withId(SECRET + "-id-" + number)
        .withHeader(SECRET + "-name", bytes(SECRET + "-value"));
  }

  private static Message<byte[]> plain(int number) {
    Message<byte[]> message = Message.of(bytes("plain " + number));
    return number % 3 == 0
        ? message.withKey("key " + number % 7).withId("id " + number)
        : message.withHeader("trace", bytes("t" + number));
  }

  private static SubscriberConfig billing() {
    return SubscriberConfig.builder("billing").ack(true).maxDeliveries(3).window(500).build();
  }

  /** A queue of which log, backups, ids, delayed messages and dead letters hold the secret. */
  private void makeSecrets(Random random) throws InterruptedException {
    try (MessageQueue<byte[]> queue = openAll(directory)) {
      Subscriber<byte[]> billing = queue.subscriber(billing());
      for (int i = 0; i < 90; i++) {
        time.advance(Duration.ofMillis(1));
        Message<byte[]> message = random.nextInt(6) == 0 || i == 2 ? secret(i) : plain(i);
        if (random.nextInt(10) == 0 || i % 40 == 5) {
          message =
              (i % 40 == 5 ? secret(i) : message)
                  .deliverAfter(i < 40 ? HOUR : HOUR.multipliedBy(50));
        }
        if (random.nextInt(8) == 0) {
          queue
              .publisher()
              .putAll(List.of(plain(1000 + i), message, secret(500 + i)), Durability.MEMORY);
        } else {
          queue.publisher().put(message, Durability.MEMORY);
        }
      }
      queue.force();
      time.advance(HOUR.multipliedBy(2));
      await().until(() -> advance() && queue.stats().delayed() <= 15);
      for (int i = 0; i < 60; i++) {
        Delivery<byte[]> delivery = billing.next();
        if (delivery != null && text(delivery).startsWith(SECRET) && random.nextInt(3) > 0) {
          delivery.reject("as " + text(delivery).length());
        } else if (delivery != null && i < 55) {
          delivery.ack();
        }
      }
      await().until(() -> advance() && queue.stats().archived() >= 2);
      billing.deadLetters().redrive(1);
      queue.latest(SECRET + "-key");
      queue.force();
      await().until(() -> advance() && billing.deadLetters().size() > 0);
    }
  }

  private boolean advance() {
    time.advance(Duration.ofMillis(200));
    return true;
  }

  private static String text(Delivery<byte[]> delivery) {
    return new String(delivery.data(), UTF_8);
  }

  /** The files in which a text is, in backups also where it is compressed. */
  static List<String> filesWith(Path base, String text) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.walk(base)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
          found.add(base.relativize(file).toString());
        }
      }
    }
    Path backups = base.resolve("backup").resolve("orders");
    if (Files.isDirectory(backups)) {
      for (StoredBlock stored : BackupFiles.scan(backups).blocks()) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        BackupFiles.unpack(stored, block);
        if (block.toString(ISO_8859_1).contains(text)) {
          found.add(base.relativize(stored.file()).toString());
        }
      }
    }
    return found;
  }

  /** What each kind of reader sees of what is not secret. */
  private List<String> seen(Path base) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    try (MessageQueue<byte[]> queue = openAll(base)) {
      Subscriber<byte[]> billing = queue.subscriber(billing());
      time.advance(HOUR.multipliedBy(100));
      await().until(() -> advance() && queue.stats().delayed() == 0);
      long end = queue.stats().nextSequence();
      for (long i = 0; i < end; i++) {
        queue
            .read(i)
            .ifPresent(found -> seen.add("read " + text(found) + found.headers().keySet()));
      }
      for (int i = 0; i < 7; i++) {
        queue.latest("key " + i).ifPresent(found -> seen.add("latest " + text(found)));
      }
      Subscriber<byte[]> all =
          queue.subscriber(
              SubscriberConfig.builder("all")
                  .ack(true)
                  .start(Position.sequence(0))
                  .window(500)
                  .build());
      for (Subscriber<byte[]> subscriber : List.of(billing, all)) {
        for (Delivery<byte[]> peeked : subscriber.peek(1000)) {
          seen.add("peek " + text(peeked));
        }
        for (Delivery<byte[]> next = subscriber.next(); next != null; next = subscriber.next()) {
          seen.add(subscriber.name() + next.sequence() + text(next));
          next.ack();
        }
        assertThat(subscriber.stats().lag()).isZero();
      }
      for (int i = 0; i < 90; i++) {
        boolean known = queue.publisher().put(plain(i), Durability.MEMORY).duplicate();
        seen.add("id " + i + known);
      }
    }
    seen.removeIf(each -> each.contains(SECRET));
    return seen;
  }

  private Path copy(String name) throws IOException {
    Path copy = directory.resolve(name);
    for (String part : List.of("data", "backup")) {
      DirectoryCopy.of(directory.resolve(part), copy.resolve(part));
    }
    return copy;
  }

  private int erase(Path base, Object... how) {
    List<Object> all = new ArrayList<>(List.of("erase", base.resolve("data/orders"), "--backup"));
    all.add(base.resolve("backup/orders"));
    all.addAll(List.of(how));
    return run(all.toArray());
  }

  private void assertVerifies(Path base) {
    Path backups = base.resolve("backup/orders");
    assertThat(run("verify", base.resolve("data/orders"), "--backup", backups)).as(out()).isZero();
    assertThat(run("verify", backups)).as(out()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldLeaveNoByteOfAnErasedMessageInAnyFile(long seed) throws Exception {
    makeSecrets(new Random(seed));
    assertThat(filesWith(directory, SECRET))
        .anyMatch(file -> file.startsWith("data/orders/log"))
        .anyMatch(file -> file.startsWith("data/orders/ids"))
        .anyMatch(file -> file.startsWith("data/orders/delayed"))
        .anyMatch(file -> file.contains(".dead/log"))
        .anyMatch(file -> file.startsWith("backup"));
    Path before = copy("before");

    assertThat(erase(directory, "--key", SECRET + "-key")).as(out()).isZero();
    assertThat(out()).contains("nothing was changed: add --yes");
    assertThat(filesWith(before, SECRET)).isNotEmpty();
    assertThat(erase(directory, "--key", SECRET + "-key", "--yes")).as(out() + err()).isZero();

    List<String> left = filesWith(directory, SECRET);
    left.removeIf(file -> file.startsWith("before"));
    assertThat(left).isEmpty();
    assertVerifies(directory);
    assertThat(erase(directory, "--key", SECRET + "-key", "--yes")).isZero();
    assertThat(out()).contains("0 messages erased");
    assertThat(seen(directory)).isEqualTo(seen(before));
    assertVerifies(directory);
  }

  @Test
  void shouldFindCopiesOfAMessageByItsIdAlone() throws Exception {
    makeSecrets(new Random(5));
    String data = SECRET + "-data-5";
    assertThat(filesWith(directory, data + "S").size() + filesWith(directory, data).size())
        .isGreaterThan(1);

    assertThat(erase(directory, "--id", SECRET + "-id-5", "--yes")).as(out() + err()).isZero();

    assertThat(filesWith(directory, SECRET + "-id-5" + '\0')).isEmpty();
    List<String> left = filesWith(directory, data);
    assertThat(left).allSatisfy(file -> assertThat(isOnlyIn(file, data)).isTrue());
    assertVerifies(directory);
  }

  /** Whether a file has this text only as the beginning of another number. */
  private boolean isOnlyIn(String file, String text) throws IOException {
    String content = new String(Files.readAllBytes(directory.resolve(file)), ISO_8859_1);
    for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      if (!Character.isDigit(content.charAt(at + text.length()))) {
        return false;
      }
    }
    return true;
  }

  @Test
  void shouldEraseSingleSequencesAndRanges() throws Exception {
    makeQueue();

    assertThat(run("erase", own(), "--sequence", "24,41-43", "--yes")).as(err()).isZero();

    assertThat(out()).contains("4 messages erased in 2 files");
    assertThat(run("verify", own())).as(out()).isZero();
    run("dump", own(), "--from", 24, "--to", 24);
    assertThat(out()).contains("\"sequence\":24").contains("\"erased\":true");
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      assertThat(queue.read(24)).isEmpty();
      assertThat(queue.read(40, 2)).extracting(Delivery::sequence).containsExactly(40L, 44L);
      assertThat(queue.latest("key 41")).isEmpty();
      List<Long> delivered = new ArrayList<>();
      Subscriber<byte[]> billing = queue.subscriber("billing");
      for (Delivery<byte[]> next = billing.next(); next != null; next = billing.next()) {
        delivered.add(next.sequence());
      }
      assertThat(delivered).doesNotContain(24L, 41L, 42L, 43L).hasSize(MESSAGES - 4 - 2);
    }
    run("salvage", own(), "--to", directory.resolve("saved/orders"));
    assertThat(run("verify", directory.resolve("saved/orders"))).as(out()).isZero();
    assertThat(filesWith(directory, "message 42")).isEmpty();
  }

  @Test
  void shouldRefuseAQueueThatIsOpenOrWasKilled() throws Exception {
    makeQueue();
    Path killed = directory.resolve("killed/orders");
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      queue.force();
      assertThat(run("erase", own(), "--sequence", 1, "--yes")).isEqualTo(Main.EXIT_ERROR);
      assertThat(err()).contains("is open already in this process");
      assertThat(KilledCopy.of(own(), killed)).isTrue();
    }
    assertThat(run("erase", killed, "--sequence", 1, "--yes")).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains("was not closed by its last process");
    assertThat(run("erase", killed, "--sequence", 1, "--yes", "--force")).as(err()).isZero();
    assertThat(run("verify", killed)).as(out()).isZero();
    builder(directory.resolve("killed")).open().close();
    assertThat(run("erase", killed, "--sequence", 2)).as(err()).isZero();
    assertThat(run("erase", own(), "--sequence", "3-1")).isEqualTo(Main.EXIT_ERROR);
    assertThat(run("erase", own(), "--sequence", "x")).isEqualTo(Main.EXIT_ERROR);
    assertThat(run("erase", own())).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains("missing --sequence, --id or --key");
    assertThat(run("erase", directory, "--sequence", 1)).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains("is not the directory of a queue");
  }

  @Test
  void shouldRefuseBackupsThatAreNotOfTheQueue() throws Exception {
    makeQueueWithBackups();
    Path parent = directory.resolve("backup");
    Path misspelt = parent.resolve("ordres");
    List<Object> erase = List.of("erase", own(), "--key", "key 1", "--yes", "--backup");

    assertThat(run(with(erase, misspelt))).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains(misspelt + " is not a directory");
    assertThat(run(with(erase, parent))).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains(parent + " holds no backup of queue", "backups of orders");
    assertThat(run(with(erase, own()))).isEqualTo(Main.EXIT_ERROR);
    Path other = directory.resolve("other");
    builder(other).open().close();
    assertThat(run("erase", other.resolve("orders"), "--id", "x", "--backup", backups()))
        .as("backups of another queue")
        .isEqualTo(Main.EXIT_ERROR);
    assertThat(own().resolve("erasing")).doesNotExist();
    assertThat(run(with(erase, backups()))).as(err()).isZero();
    assertThat(out()).contains("1 message erased").doesNotContain("were not searched");
  }

  private static Object[] with(List<Object> arguments, Object more) {
    return Stream.concat(arguments.stream(), Stream.of(more)).toArray();
  }

  @Test
  void shouldLeaveWhatAHardLinkOfABlockHolds() throws Exception {
    makeQueue();
    Path block = own().resolve("log/b00000003.cq4");
    Path linked = Files.createLink(directory.resolve("linked"), block);
    byte[] before = Files.readAllBytes(linked);

    assertThat(run("erase", own(), "--sequence", 24, "--yes")).isZero();

    assertThat(Files.readAllBytes(linked)).isEqualTo(before);
    assertThat(Files.readAllBytes(block)).isNotEqualTo(before).hasSameSizeAs(before);
  }

  @Test
  void shouldNameWhatItCannotSearch() throws Exception {
    makeQueue();
    Path block = files(own(), "b00000003.cq4").get(0);
    flip(block, find(block, "message 24"));
    Files.createDirectories(own().resolve("damaged"));
    Files.writeString(own().resolve("damaged/b00000001.cq4-66012"), "x");
    Files.createDirectories(data().resolve("orders.discarded-20261120T101500.000Z"));

    assertThat(run("erase", own(), "--sequence", "26", "--yes")).isEqualTo(Main.EXIT_DAMAGED);

    assertThat(out())
        .contains("1 of its messages are damaged")
        .contains("b00000003.cq4: was not changed")
        .contains("b00000001.cq4-66012: was not searched")
        .contains("orders.discarded-20261120T101500.000Z: is an earlier queue")
        .contains("backups were not searched");
  }

  /** The command is killed at random moments: nothing is damaged, and the next run finishes. */
  @Test
  @Tag("full")
  void shouldDamageNothingWhenItIsKilledAndFinishTheNextTime() throws Exception {
    makeSecrets(new Random(11));
    Random random = new Random(12);
    List<String> expected = null;
    TreeMap<String, Integer> ended = new TreeMap<>();
    int rounds = Integer.getInteger("river.erase.kills", 12);
    long whole = 0;
    for (int i = 0; i < rounds; i++) {
      Path copy = copy("copy-" + i);
      if (expected == null) {
        expected = seen(copy("expected"));
        long began = System.nanoTime();
        assertThat(start(copy).waitFor()).isZero();
        whole = System.nanoTime() - began;
      } else {
        Process erasing = start(copy);
        boolean exited =
            erasing.waitFor(
                (long) (whole * (0.4 + 0.6 * random.nextDouble())), TimeUnit.NANOSECONDS);
        erasing.destroyForcibly().waitFor();
        ended.merge(exited ? "ended" : "killed", 1, Integer::sum);
        if (random.nextBoolean()) {
          assertVerifies(copy);
        }
        if (random.nextInt(3) == 0) {
          openAll(copy).close();
        }
      }
      assertThat(erase(copy, "--key", SECRET + "-key", "--yes", "--force"))
          .as(out() + err())
          .isZero();
      assertThat(filesWith(copy, SECRET)).isEmpty();
      assertVerifies(copy);
      assertThat(seen(copy)).isEqualTo(expected);
      EveryFeature.deleteTree(copy);
    }
    assertThat(ended).as("runs that were killed").containsKey("killed");
  }

  private static Process start(Path base) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path").replace(":", File.pathSeparator),
            Main.class.getName(),
            "erase",
            base.resolve("data/orders").toString(),
            "--backup",
            base.resolve("backup/orders").toString(),
            "--key",
            SECRET + "-key",
            "--yes")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
