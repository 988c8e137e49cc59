package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may open a directory, which directories a queue takes, and which names. */
class TwoProcessesTest {
  private static final String NAME = OwnerChild.QUEUE;

  @TempDir Path directory;

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(base());
  }

  private Path base() {
    return directory.resolve("base");
  }

  private Path own() {
    return base().resolve(NAME);
  }

  /** Every file below with a digest of its content. */
  private static Map<String, Integer> content(Path root) throws IOException {
    Map<String, Integer> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        boolean isOwners = file.endsWith("marks"); // it says there what it has forced
        boolean isFile = !isOwners && Files.isRegularFile(file);
        all.put(file.toString(), isFile ? Arrays.hashCode(Files.readAllBytes(file)) : 0);
      }
    }
    return all;
  }

  @Test
  void shouldRefuseADirectoryOfAnotherProcessAndTakeItWhenThatIsKilled() throws Exception {
    Path ready = directory.resolve("ready");
    try (ChildProcess owner =
        ChildProcess.start(
            OwnerChild.class,
            directory.resolve("output"),
            ChildProcess.Launch.PLAIN,
            base().toString(),
            ready.toString())) {
      await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(ready) || !owner.isAlive());
      assertThat(owner.isAlive()).as(owner.output()).isTrue();
      Map<String, Integer> before = content(own());
      for (boolean reload : new boolean[] {true, false}) {
        assertThatThrownBy(() -> builder(NAME).reload(reload).open())
            .isInstanceOf(QueueLockedException.class)
            .hasMessageContaining("queue " + NAME)
            .hasMessageContaining("another process")
            .hasMessageContaining(own().toString());
      }
      assertThat(content(own())).isEqualTo(before);
      assertThat(siblings()).containsExactly(NAME);
      assertThat(owner.kill()).isEqualTo(ChildProcess.KILLED);
    }
    long started = TimeSource.system().nanoTime();
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThat(queue.subscriber("audit").next().data()).isEqualTo("of the owner");
      assertThat(queue.publisher().publish("of the next")).isEqualTo(1);
    }
    assertThat(Duration.ofNanos(TimeSource.system().nanoTime() - started))
        .as("a stale lock of Chronicle's would cost 15 s")
        .isLessThan(Duration.ofSeconds(15));
  }

  @Test
  void shouldRefuseADirectoryWhoseOwnerHasLostItsFileLock() throws Exception {
    Path ready = directory.resolve("ready");
    try (ChildProcess owner =
        ChildProcess.start(
            OwnerChild.class,
            directory.resolve("output"),
            ChildProcess.Launch.PLAIN,
            base().toString(),
            ready.toString(),
            "reads all files")) {
      await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(ready) || !owner.isAlive());
      assertThat(owner.isAlive()).as(owner.output()).isTrue();
      for (int i = 0; i < 50; i++) {
        assertThatThrownBy(() -> builder(NAME).open())
            .isInstanceOf(QueueLockedException.class)
            .hasMessageContaining("another process (process ")
            .hasMessageContaining(own().toString());
      }
      assertThat(owner.kill()).isEqualTo(ChildProcess.KILLED);
      assertThat(owner.output()).doesNotContain("has failed");
    }
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThat(queue.publisher().publish("of the next")).isEqualTo(1);
    }
  }

  private List<String> siblings() throws IOException {
    try (Stream<Path> files = Files.list(base())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void shouldRefuseTheSameQueueTwiceInOneProcess() throws Exception {
    try (MessageQueue<String> queue = builder(NAME).open()) {
      queue.publisher().publish("m0");
      assertThatThrownBy(() -> builder(NAME).open())
          .isInstanceOf(QueueLockedException.class)
          .hasMessageContaining("already")
          .hasMessageContaining(own().toString());
      Path link = Files.createSymbolicLink(directory.resolve("link"), base());
      assertThatThrownBy(() -> builder(NAME).directory(link).open())
          .isInstanceOf(QueueLockedException.class);
      assertThat(queue.publisher().publish("m1")).isEqualTo(1);
      try (MessageQueue<String> other = builder("other").open()) {
        assertThat(other.publisher().publish("m0")).isZero();
      }
    }
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThat(queue.publisher().publish("m2")).isEqualTo(2);
    }
  }

  @Test
  void shouldKnowItsDirectoryByAnyName() throws Exception {
    Path others = Files.createDirectory(directory.resolve("others"));
    Path link = others.resolve(NAME);
    try (MessageQueue<String> queue = builder(NAME).open()) {
      Files.createSymbolicLink(link, own());
      for (boolean reload : new boolean[] {true, false}) {
        assertThatThrownBy(() -> builder(NAME).directory(others).reload(reload).open())
            .isInstanceOf(QueueLockedException.class)
            .hasMessageContaining("already");
      }
      assertThat(queue.publisher().publish("m0")).isZero();
    }
    try (MessageQueue<String> queue = builder(NAME).directory(others).open()) {
      assertThat(queue.publisher().publish("m1")).isEqualTo(1);
      assertThatThrownBy(() -> builder(NAME).open()).isInstanceOf(QueueLockedException.class);
    }
    try (MessageQueue<String> queue = builder(NAME).directory(others).reload(false).open()) {
      assertThat(queue.publisher().publish("m0")).isZero();
      assertThatThrownBy(() -> builder(NAME).open()).isInstanceOf(QueueLockedException.class);
    }
    assertThat(link).isSymbolicLink();
    assertThat(siblings()).hasSize(2);
  }

  @Test
  void shouldRefuseADirectoryThatAnotherClassLoaderHasLocked() throws Exception {
    builder(NAME).open().close();
    try (FileChannel other = FileChannel.open(own().resolve("LOCK"), StandardOpenOption.WRITE)) {
      assertThat(other.lock().isValid()).isTrue();
      assertThatThrownBy(() -> builder(NAME).open()).isInstanceOf(QueueLockedException.class);
    }
    builder(NAME).open().close();
  }

  @Test
  void shouldStayNewWhenTheOpenFails() throws Exception {
    try (MessageQueue<String> queue = builder(NAME).open()) {
      queue.publisher().publish("m0");
      assertThatThrownBy(() -> builder(NAME).open()).isInstanceOf(QueueLockedException.class);
    }
    builder(NAME).open().delete();
    assertThat(own()).doesNotExist();
  }

  @Test
  void shouldRefuseNamesThatDifferOnlyInCase() {
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThatThrownBy(() -> builder("Orders").open())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("only in case");
      queue.subscriber("Audit");
      assertThatThrownBy(() -> queue.subscriber("audit"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("case");
    }
    assertThatThrownBy(() -> builder("Orders").open()).isInstanceOf(ConfigurationException.class);
    assertThat(base().resolve("Orders")).doesNotExist();
  }

  @Test
  void shouldRefuseAForeignDirectory() throws Exception {
    Files.createDirectories(own());
    Files.writeString(own().resolve("holiday.jpg"), "not yours");
    Map<String, Integer> before = content(directory);
    for (boolean reload : new boolean[] {true, false}) {
      assertThatThrownBy(() -> builder(NAME).reload(reload).open())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("holiday.jpg")
          .hasMessageContaining("queue.directory");
    }
    assertThat(content(directory)).isEqualTo(before);
  }

  @Test
  void shouldGoOnWhereTheMakingOfAQueueWasCutShort() throws Exception {
    Files.createDirectories(own().resolve("log"));
    Files.createDirectories(own().resolve("subscribers"));
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThat(queue.publisher().publish("m0")).isZero();
    }
  }

  @Test
  void shouldRefuseALogWithoutIdentity() throws Exception {
    Files.createDirectories(own().resolve("log"));
    Files.writeString(own().resolve("log/b00000001.cq4"), "whose?");
    assertThatThrownBy(() -> builder(NAME).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("holds log but no queue.json");
  }

  @Test
  void shouldRefuseAFileInPlaceOfADirectory() throws Exception {
    Files.createDirectories(base());
    Files.writeString(own(), "a file");
    assertThatThrownBy(() -> builder(NAME).open())
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(own().toString());
    assertThat(own()).hasContent("a file");
    assertThatThrownBy(() -> builder("below").directory(own()).open())
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(own().toString());
    assertThat(own()).hasContent("a file");
  }

  @Test
  void shouldRefuseTheDirectoryOfANewerFormat() throws Exception {
    builder(NAME).open().close();
    Path identity = own().resolve("queue.json");
    String written = Files.readString(identity);
    ObjectNode json = CheckedJson.read(identity);
    json.remove("check");
    CheckedJson.write(identity, json.put("format", 2));
    Map<String, Integer> before = content(directory);
    assertThatThrownBy(() -> builder(NAME).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.json has format version 2");
    assertThat(content(directory)).isEqualTo(before);
    Files.writeString(identity, written);
    builder(NAME).open().close();
  }

  @Test
  void shouldRefuseADirectoryThatItMayNotRead() throws Exception {
    assumeFalse(
        "root".equals(System.getProperty("user.name")), "root may read and write everything");
    builder(NAME).open().close();
    Files.setPosixFilePermissions(own(), PosixFilePermissions.fromString("---------"));
    try {
      assertThatThrownBy(() -> builder(NAME).open())
          .isInstanceOf(RiverException.class)
          .hasMessageContaining(own().toString());
    } finally {
      Files.setPosixFilePermissions(own(), PosixFilePermissions.fromString("rwx------"));
    }
    builder(NAME).open().close();
  }

  @Test
  void shouldKeepEverybodyElseOutOfItsDirectory() throws Exception {
    builder(NAME).backup(directory.resolve("backup"), Duration.ZERO).open().close();
    try (Stream<Path> all = Files.walk(own())) {
      for (Path file : all.toList()) {
        String expected = Files.isDirectory(file) ? "rwx------" : "rw-------";
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as("mode of %s", file)
            .isEqualTo(expected);
      }
    }
  }

  static Stream<String> goodNames() {
    return Stream.of("a", "A", "0", "_", "a.b-c_d", "9lives", "x".repeat(64), "dead", "a.dead.b");
  }

  static Stream<String> badNames() {
    return Stream.of(
        "",
        ".",
        "..",
        ".hidden",
        "-rf",
        "a/b",
        "a\\b",
        "../up",
        "a b",
        "a:b",
        "a\u0000b",
        "a\nb",
        "ä",
        "\u202Eabc",
        "a%2Fb",
        "~",
        "x".repeat(65),
        "orders.dead",
        "orders.DEAD",
        "orders.discarded-20260101T000000.000Z");
  }

  @ParameterizedTest
  @MethodSource("goodNames")
  void shouldTakeGoodNames(String name) {
    try (MessageQueue<String> queue = builder(name).open()) {
      assertThat(queue.subscriber(name).name()).isEqualTo(name);
    }
  }

  @ParameterizedTest
  @MethodSource("badNames")
  void shouldRefuseBadNames(String name) {
    assertThatThrownBy(() -> builder(name).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue name")
        .message()
        .doesNotContain("\n", "\u0000");
    assertThat(base()).doesNotExist();
    try (MessageQueue<String> queue = builder(NAME).open()) {
      assertThatThrownBy(() -> queue.subscriber(name))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("subscriber name");
    }
    assertThatThrownBy(
            () -> builder(NAME).subscriber(SubscriberConfig.builder(name).build()).open())
        .isInstanceOf(ConfigurationException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"base", "base/orders", "base/orders/log", "base/./x/.."})
  void shouldRefuseABackupInItsOwnDirectory(String backup) {
    assertThatThrownBy(
            () -> builder(NAME).backup(directory.resolve(backup), Duration.ofDays(1)).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("backup.directory");
    assertThat(base()).doesNotExist();
  }

  @Test
  void shouldSetOldDataAsideWhenToldNotToReload() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:15:00Z"));
    try (MessageQueue<String> queue = builder(NAME).timeSource(time).open()) {
      queue.subscriber("audit");
      queue.publisher().publish("old");
    }
    for (int i = 0; i < 2; i++) {
      try (MessageQueue<String> queue = builder(NAME).timeSource(time).reload(false).open()) {
        assertThat(queue.stats().nextSequence()).isZero();
        assertThat(queue.subscribers()).isEmpty();
        assertThat(queue.publisher().publish("new " + i)).isZero();
        assertThat(queue.subscriber("audit").next().data()).isEqualTo("new " + i);
      }
    }
    List<String> aside = siblings().stream().filter(name -> name.contains("discarded")).toList();
    assertThat(aside)
        .containsExactly(
            NAME + ".discarded-20261120T101500.000Z", NAME + ".discarded-20261120T101500.001Z");
    expectSetAside(aside.get(0));
    time.advance(Duration.ofDays(6));
    builder(NAME).timeSource(time).open().close();
    assertThat(siblings()).containsAll(aside);
    time.advance(Duration.ofDays(2));
    builder(NAME).timeSource(time).discardedRetention(Duration.ofDays(30)).open().close();
    assertThat(siblings()).containsAll(aside);
    builder(NAME).timeSource(time).open().close();
    assertThat(siblings()).containsExactly(NAME);
  }

  /** What was set aside is a whole queue: under its name, in another base, it opens. */
  private void expectSetAside(String aside) throws IOException {
    Path elsewhere = directory.resolve("elsewhere");
    copy(base().resolve(aside), elsewhere.resolve(NAME));
    try (MessageQueue<String> queue = builder(NAME).directory(elsewhere).open()) {
      assertThat(queue.subscriber("audit").next().data()).isEqualTo("old");
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  @Test
  void shouldNotSetAnythingAsideOfANewQueue() throws Exception {
    builder(NAME).reload(false).open().close();
    assertThat(siblings()).containsExactly(NAME);
  }

  @Test
  void shouldNotTouchWhatOnlyLooksLikeDataSetAside() throws Exception {
    Path stranger = base().resolve(NAME + ".discarded-by-me");
    Path other = base().resolve("other.discarded-20200101T000000.000Z");
    Files.createDirectories(stranger);
    Files.createDirectories(other);
    builder(NAME).open().close();
    assertThat(stranger).exists();
    assertThat(other).exists();
  }
}
