package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is on disk, when, and what comes back from it. */
class FileJournalTest {
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final InitialPosition ORIGIN = new InitialPosition(0, 0);

  @TempDir Path base;

  private final Queue<Runnable> flusher = new ArrayDeque<>();
  private Path directory;

  @BeforeEach
  void name() {
    directory = base.resolve("subscribers/one");
  }

  @Test
  void shouldBeginWhereANewSubscriberIsToldTo() {
    try (Ledger ledger = open(new InitialPosition(77, 3))) {
      assertThat(ledger.recovery().created()).isTrue();
      assertThat(ledger.lowWatermark()).isEqualTo(77);
    }
    try (Ledger ledger = open(new InitialPosition(500, 3))) {
      assertThat(ledger.recovery().created()).isFalse();
      assertThat(ledger.lowWatermark()).isEqualTo(77);
      assertThat(ledger.recovery().nextFree()).isEqualTo(77);
    }
  }

  @Test
  void shouldLoseNoAckWhenKilled() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      long[] tags = deliver(ledger, 10);
      for (int sequence : new int[] {4, 0, 1, 7, 8, 2}) {
        ledger.acknowledge(sequence, tags[sequence]);
        try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
          assertThat(killed.lowWatermark()).isEqualTo(ledger.lowWatermark());
          assertThat(killed.position()).isEqualTo(ledger.lowWatermark());
          assertThat(killed.recovery().damaged()).isEmpty();
          assertThat(killed.recovery().torn()).isZero();
          assertThat(killed.acknowledge(sequence, tags[sequence])).isEqualTo(AckResult.STALE);
        }
      }
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.recovery().deliveredEnd()).isEqualTo(10);
        assertThat(killed.recovery().completedEnd()).isEqualTo(9);
        assertThat(unfinished(killed, 12)).containsExactly(3L, 5L, 6L, 9L, 10L, 11L);
      }
    }
  }

  @Test
  void shouldCountAttemptsAcrossRestarts() {
    try (Ledger ledger = open(ORIGIN)) {
      long[] tags = deliver(ledger, 3);
      ledger.release(1, tags[1]);
      ledger.retry(2, tags[2], 0, 0);
      ledger.release(1, ledger.redeliver(1, 0));
      ledger.redeliver(2, 0);
    }
    for (int restart = 1; restart <= 3; restart++) {
      try (Ledger ledger = open(ORIGIN)) {
        assertThat(attempt(ledger)).isEqualTo(1 + restart);
        assertThat(attempt(ledger)).isEqualTo(restart);
        assertThat(attempt(ledger)).isEqualTo(2 + restart);
        assertThat(ledger.redelivered()).isEqualTo(restart == 1 ? 2 : 3);
      }
    }
    try (Ledger ledger = open(ORIGIN)) {
      ledger.skip(3);
      assertThat(attempt(ledger)).isEqualTo(1);
    }
  }

  @Test
  void shouldTakeNoSpaceForAcknowledgingInOrder() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      for (long s = 0; s < 100_000; s++) {
        ledger.acknowledge(s, ledger.deliver(s, 0, 0));
      }
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.lowWatermark()).isEqualTo(100_000);
        assertThat(killed.recovery().records()).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldReplayTheChainOfLogsUntilTheSnapshotIsWritten() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      acknowledgeEverySecond(ledger, 100_000);
      assertThat(flusher).isNotEmpty();
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.recovery().logs()).isEqualTo(4);
        assertThat(killed.recovery().records()).isEqualTo(50_000);
        assertThat(killed.lowWatermark()).isZero();
        assertThat(killed.recovery().completedEnd()).isEqualTo(100_000);
        assertThat(unfinished(killed, 100_000)).hasSize(50_000).allMatch(s -> s % 2 == 0);
      }
      flush();
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.recovery().snapshot()).isEqualTo(2);
        assertThat(unfinished(killed, 100_000)).hasSize(50_000).allMatch(s -> s % 2 == 0);
      }
    }
  }

  @Test
  void shouldKeepTwoSnapshotsAndTheirLogs() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      for (int round = 0; round < 12; round++) {
        acknowledgeEverySecond(ledger, 40_000);
        flush();
        assertThat(names("ack-[0-9]*.snap").size()).isLessThanOrEqualTo(2);
        int inProportion = (round + 1) * 40_000 / AckLog.RECORDS;
        assertThat(names("ack-[0-9]*.log").size()).isLessThanOrEqualTo(5 + inProportion);
        assertThat(names("*.tmp")).isEmpty();
      }
    }
    for (int i = 0; i < 20; i++) {
      open(ORIGIN).close();
      flusher.clear();
    }
    assertThat(names("ack-[0-9]*.log").size()).isLessThanOrEqualTo(12 + 480_000 / AckLog.RECORDS);
    assertThat(names("ack-[0-9]*.snap").size()).isLessThanOrEqualTo(12);
  }

  @Test
  void shouldSeekDurably() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      long[] tags = deliver(ledger, 100);
      for (int s = 0; s < 100; s++) {
        ledger.acknowledge(s, tags[s]);
      }
      ledger.seek(40);
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.lowWatermark()).isEqualTo(40);
        assertThat(attempt(killed)).isEqualTo(1);
      }
      ledger.acknowledge(40, ledger.deliver(40, 0, 0));
      ledger.seek(1000);
      ledger.seek(70);
      flush();
    }
    try (Ledger ledger = open(ORIGIN)) {
      assertThat(ledger.lowWatermark()).isEqualTo(70);
      assertThat(ledger.recovery().nextFree()).isEqualTo(70);
    }
  }

  @Test
  void shouldChangeNothingWhenASeekCannotBeWritten() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      flush();
      long[] tags = deliver(ledger, 5);
      ledger.acknowledge(0, tags[0]);
      Path blocked = Files.createDirectories(directory.resolve("ack-2.snap/blocked"));
      assertThatThrownBy(() -> ledger.seek(3)).isInstanceOf(RiverException.class);
      assertThat(ledger.lowWatermark()).isEqualTo(1);
      assertThat(ledger.acknowledge(1, tags[1])).isEqualTo(AckResult.DONE);
      Files.delete(blocked);
      Files.delete(blocked.getParent());
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.lowWatermark()).isEqualTo(2);
      }
      ledger.seek(3);
      assertThat(ledger.lowWatermark()).isEqualTo(3);
    }
  }

  @Test
  void shouldGoOnWithoutSpaceAndCatchUpWhenThereIsSome() throws IOException {
    open(ORIGIN).close();
    flusher.clear();
    try (Ledger ledger = open(ORIGIN)) {
      Path blocked = Files.createDirectories(directory.resolve("ack-2.log/blocked"));
      acknowledgeEverySecond(ledger, 40_000);
      assertThat(ledger.unjournaled()).isEqualTo(20_000 - AckLog.RECORDS);
      assertThat(ledger.count(EntryState.COMPLETED)).isEqualTo(20_000);
      Files.delete(blocked);
      Files.delete(blocked.getParent());
      acknowledgeEverySecond(ledger, 3000);
      assertThat(ledger.unjournaled()).isPositive();
      flush();
      assertThat(ledger.unjournaled()).isZero();
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.recovery().damaged()).isEmpty();
        assertThat(unfinished(killed, 43_000)).hasSize(21_500).allMatch(s -> s % 2 == 0);
      }
    }
  }

  @Test
  void shouldTryAgainToWriteWhatIsInNoLog() throws IOException {
    open(ORIGIN).close();
    flusher.clear();
    try (Ledger ledger = open(ORIGIN)) {
      Path noLog = Files.createDirectories(directory.resolve("ack-2.log/blocked"));
      Path noSnapshot = Files.createDirectories(directory.resolve("ack-2.snap/blocked"));
      acknowledgeEverySecond(ledger, 40_000);
      Files.delete(noLog);
      Files.delete(noLog.getParent());
      acknowledgeEverySecond(ledger, 3000);
      flush();
      assertThat(ledger.unjournaled()).isPositive();
      Files.delete(noSnapshot);
      Files.delete(noSnapshot.getParent());
      ledger.force();
      flush();
      assertThat(ledger.unjournaled()).isZero();
      try (Ledger killed = open(Copies.of(directory), ORIGIN)) {
        assertThat(killed.count(EntryState.COMPLETED)).isEqualTo(21_500);
      }
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldTakeNoNewSpaceOnceTwoSnapshotsStand() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      for (int round = 0; round < 4; round++) {
        turnOver(ledger);
      }
      List<Long> before = inodes();
      turnOver(ledger);
      turnOver(ledger);
      assertThat(inodes()).isEqualTo(before);
    }
  }

  @Test
  void shouldNotTouchAnythingAfterClose() throws IOException {
    Ledger ledger = open(ORIGIN);
    acknowledgeEverySecond(ledger, 40_000);
    ledger.close();
    List<String> before = names("*");
    flush();
    ledger.force();
    assertThat(names("*")).isEqualTo(before);
  }

  @Test
  void shouldForceWhatIsRetiredAndWhatIsInUse() {
    try (Ledger ledger = open(ORIGIN)) {
      acknowledgeEverySecond(ledger, 40_000);
      ledger.force();
      ledger.force();
      flush();
      acknowledgeEverySecond(ledger, 40_000);
      ledger.force();
    }
  }

  @Test
  void shouldForceAndMaintainOnOtherThreadsUntilItIsClosed() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 10; round++) {
        Ledger ledger = LedgerOpener.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, threads);
        AtomicBoolean done = new AtomicBoolean();
        Future<?> forcing =
            threads.submit(
                () -> {
                  while (!done.get()) {
                    ledger.force();
                  }
                });
        acknowledgeEverySecond(ledger, 40_000);
        ledger.seek(ledger.position() + round % 2);
        acknowledgeEverySecond(ledger, 40_000);
        long lowWatermark = ledger.lowWatermark();
        long completed = ledger.count(EntryState.COMPLETED);
        ledger.close();
        done.set(true);
        forcing.get();
        try (Ledger again = open(ORIGIN)) {
          assertThat(again.recovery().damaged()).isEmpty();
          assertThat(again.lowWatermark()).isEqualTo(lowWatermark);
          assertThat(again.count(EntryState.COMPLETED)).isEqualTo(completed);
          again.skip(again.position() + 40_000);
          again.seek(again.position());
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldWorkOnAnInterruptedThreadAndKeepTheInterrupt() throws IOException {
    Thread.currentThread().interrupt();
    try (Ledger ledger = open(ORIGIN)) {
      acknowledgeEverySecond(ledger, 40_000);
      ledger.seek(10);
      ledger.deliver(10, 0, 0);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
    assertThat(Thread.interrupted()).isTrue();
    try (Ledger ledger = open(ORIGIN)) {
      assertThat(ledger.lowWatermark()).isEqualTo(10);
    }
  }

  @Test
  void shouldHoldOnlyWhatFitsIntoASmallerWindow() {
    try (Ledger ledger = open(ORIGIN)) {
      acknowledgeEverySecond(ledger, 1000);
    }
    Limits small = new Limits(1000, 1000, 10);
    try (Ledger ledger =
        LedgerOpener.withAck(directory, Copies.OWNER, small, ORIGIN, flusher::add)) {
      for (long s = 0; s < 10; s += 2) {
        assertThat(ledger.canDeliver()).isTrue();
        assertThat(Ledger.attempt(ledger.deliver(s, 0, 0))).isEqualTo(2);
      }
      assertThat(ledger.canDeliver()).isFalse();
    }
    try (Ledger ledger = open(ORIGIN)) {
      assertThat(unfinished(ledger, 1000)).hasSize(500);
    }
  }

  @Test
  void shouldRefuseWhatANewerRiverWrote() throws IOException {
    open(ORIGIN).close();
    Path log = directory.resolve("ack-1.log");
    byte[] bytes = Files.readAllBytes(log);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(8, 2)
        .putInt(AckLog.COUNT - 4, crcOfVersion2(bytes));
    Files.write(log, bytes);
    assertThatThrownBy(() -> open(ORIGIN))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("ack-1.log has format version 2");
    assertThat(log).exists();
  }

  @Test
  void shouldSayWhichDirectoryCannotBeUsed() throws IOException {
    Files.createDirectories(directory.getParent());
    Files.writeString(directory, "a file");
    assertThatThrownBy(() -> open(ORIGIN))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(directory.toString());
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldLetOnlyTheOwnerIn() throws IOException {
    try (Ledger ledger = open(ORIGIN)) {
      acknowledgeEverySecond(ledger, 40_000);
      flush();
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .as(file.toString())
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldLeaveNoMappingAndNoDescriptor() throws IOException {
    for (int i = 0; i < 20; i++) {
      try (Ledger ledger = open(ORIGIN)) {
        acknowledgeEverySecond(ledger, 40_000);
        flush();
      }
      try (Ledger ledger = LedgerOpener.withoutAck(base.resolve("two"), Copies.OWNER, ORIGIN)) {
        ledger.skip(i);
      }
    }
    assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
        .noneMatch(line -> line.contains(base.toString()));
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      assertThat(descriptors.map(FileJournalTest::target))
          .noneMatch(target -> target.startsWith(base.toString()));
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "gone";
    }
  }

  private static int crcOfVersion2(byte[] bytes) {
    byte[] header = bytes.clone();
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 2);
    return Checksum.of(header, 0, AckLog.COUNT - 4);
  }

  private Ledger open(InitialPosition origin) {
    return open(directory, origin);
  }

  private Ledger open(Path where, InitialPosition origin) {
    return LedgerOpener.withAck(where, Copies.OWNER, LIMITS, origin, flusher::add);
  }

  private void flush() {
    for (Runnable task = flusher.poll(); task != null; task = flusher.poll()) {
      task.run();
    }
  }

  /** Fills a log, and leaves nothing unfinished. */
  private void turnOver(Ledger ledger) {
    long[] tags = deliver(ledger, AckLog.RECORDS + 2000);
    long first = ledger.position() - tags.length;
    for (int i = tags.length - 1; i >= 0; i--) {
      ledger.acknowledge(first + i, tags[i]);
    }
    flush();
    ledger.force();
  }

  private static long[] deliver(Ledger ledger, int count) {
    long[] tags = new long[count];
    for (int i = 0; i < count; i++) {
      long sequence = ledger.position();
      tags[i] = ledger.deliver(sequence, sequence, 0);
    }
    return tags;
  }

  /** Delivers so many, and acknowledges those with an odd sequence, one record each. */
  private static void acknowledgeEverySecond(Ledger ledger, int count) {
    for (int i = 0; i < count; i++) {
      long sequence = ledger.position();
      long tag = ledger.deliver(sequence, sequence, 0);
      if (sequence % 2 == 1) {
        assertThat(ledger.acknowledge(sequence, tag)).isEqualTo(AckResult.DONE);
      }
    }
  }

  private static int attempt(Ledger ledger) {
    return Ledger.attempt(ledger.deliver(ledger.position(), 0, 0));
  }

  private static List<Long> unfinished(Ledger ledger, long end) {
    return Stream.generate(
            () -> {
              long sequence = ledger.position();
              ledger.deliver(sequence, 0, 0);
              return sequence;
            })
        .takeWhile(sequence -> sequence < end)
        .toList();
  }

  private List<String> names(String glob) throws IOException {
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory, glob)) {
      List<String> names = new ArrayList<>();
      paths.forEach(path -> names.add(path.getFileName().toString()));
      Collections.sort(names);
      return names;
    }
  }

  private List<Long> inodes() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Long> inodes = new ArrayList<>();
      for (Path file : files.toList()) {
        inodes.add((Long) Files.getAttribute(file, "unix:ino"));
      }
      Collections.sort(inodes);
      return inodes;
    }
  }
}
