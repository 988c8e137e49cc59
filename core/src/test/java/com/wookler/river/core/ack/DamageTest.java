package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage of every kind in every file: the start never fails, and nothing is taken for finished that
 * wasn't.
 *
 * <p>The subscriber has been far ahead, was moved back to {@link #BACK}, and has finished every
 * third message from there on, over more than one generation.
 */
class DamageTest {
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final Origin ORIGIN = new Origin(0, 0);
  private static final long BACK = 100;

  @TempDir Path base;

  private final Set<Long> finished = new HashSet<>();
  private Path directory;
  private long end;
  private int copies;

  @BeforeEach
  void live() {
    directory = base.resolve("subscriber");
    try (Ledger ledger = Ledgers.withAck(directory, LIMITS, ORIGIN, Runnable::run)) {
      for (long s = 0; s < 60_000; s++) {
        ledger.acknowledge(s, ledger.handOver(s, s, 0));
      }
      ledger.seek(BACK);
      for (long s = BACK; s < BACK + 60_000; s++) {
        long ticket = ledger.handOver(s, s, 0);
        if (s % 3 != 0 || s < BACK + 1000) {
          ledger.acknowledge(s, ticket);
          finished.add(s);
        }
      }
      long ready = BACK + 2000 - (BACK + 2000) % 3;
      ledger.expire(1000);
      while (ledger.nextReady() != ready) {
        ledger.redeliver(ledger.nextReady(), 1000);
      }
      end = ledger.position();
    }
  }

  @Test
  void shouldBeSoundBeforeItIsDamaged() throws IOException {
    try (Ledger ledger = reopen(copy())) {
      assertThat(ledger.recovery().damaged()).isEmpty();
      assertThat(ledger.floor()).isEqualTo(trueFloor());
      assertThat(ledger.finishedAboveFloor()).isGreaterThan(30_000);
    }
    assertThat(used(directory)).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void shouldSurviveAFlippedBitAnywhere() throws IOException {
    Random random = new Random(11);
    for (Path file : used(directory)) {
      int size = (int) Files.size(file);
      List<Integer> offsets =
          new ArrayList<>(List.of(0, 8, 12, 16, 24, 32, 40, 63, 64, 72, 76, 79));
      for (int i = 0; i < 12; i++) {
        offsets.add(random.nextInt(size));
      }
      for (int offset : offsets) {
        Path copy = copy();
        byte[] bytes = Files.readAllBytes(file);
        bytes[offset] ^= (byte) (1 << random.nextInt(8));
        Files.write(copy.resolve(file.getFileName()), bytes);
        check(copy, file.getFileName() + " at " + offset);
      }
    }
  }

  @Test
  void shouldSurviveZeroedPages() throws IOException {
    for (Path file : used(directory)) {
      int size = (int) Files.size(file);
      for (int from = 0; from < size; from += Math.max(4096, size / 4 / 4096 * 4096)) {
        Path copy = copy();
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, from, Math.min(size, from + 4096), (byte) 0);
        Files.write(copy.resolve(file.getFileName()), bytes);
        check(copy, file.getFileName() + " zeroed from " + from);
      }
    }
  }

  @Test
  void shouldSurviveFilesCutShort() throws IOException {
    for (Path file : used(directory)) {
      int size = (int) Files.size(file);
      for (int length : new int[] {0, 1, 63, 100, size / 2, size - 1}) {
        Path copy = copy();
        byte[] bytes = Files.readAllBytes(file);
        Files.write(copy.resolve(file.getFileName()), Arrays.copyOf(bytes, length));
        check(copy, file.getFileName() + " cut to " + length);
      }
    }
  }

  @Test
  void shouldSurviveMissingFilesAndSayWhich() throws IOException {
    for (Path file : used(directory)) {
      Path copy = copy();
      Files.delete(copy.resolve(file.getFileName()));
      check(copy, file.getFileName() + " missing");
    }
  }

  @Test
  void shouldSurviveExchangedFiles() throws IOException {
    List<Path> files = used(directory);
    for (Path file : files) {
      for (Path other : files) {
        Path copy = copy();
        Files.copy(other, copy.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        check(copy, other.getFileName() + " in place of " + file.getFileName());
      }
    }
  }

  @Test
  void shouldDeliverEverythingAgainWhenNothingIsSound() throws IOException {
    for (Path file : used(directory)) {
      Files.write(file, new byte[] {1, 2, 3});
    }
    try (Ledger ledger =
        Ledgers.withAck(directory, LIMITS, new Origin(70_000, 30), Runnable::run)) {
      assertThat(ledger.floor()).isEqualTo(30);
      assertThat(ledger.finishedAboveFloor()).isZero();
      assertThat(ledger.recovery().damaged())
          .anyMatch(line -> line.contains("delivering again from 30"));
    }
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.floor()).isEqualTo(30);
      assertThat(ledger.recovery().damaged()).isEmpty();
    }
  }

  @Test
  void shouldSetAsideAndUseWhatProvesItself() throws IOException {
    Path log = newestUsedLog();
    byte[] bytes = Files.readAllBytes(log);
    bytes[AckLog.HEADER + 5 * AckLog.RECORD] ^= 1;
    Files.write(log, bytes);
    int before;
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.recovery().damaged())
          .singleElement()
          .asString()
          .startsWith(log + " is damaged")
          .endsWith(log.getFileName() + ".corrupt");
      before = (int) ledger.finishedAboveFloor();
      assertThat(before).isGreaterThan(30_000);
    }
    assertThat(log).doesNotExist();
    assertThat(log.resolveSibling(log.getFileName() + ".corrupt")).exists();
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.recovery().damaged()).isEmpty();
      assertThat(ledger.finishedAboveFloor()).isEqualTo(before);
    }
  }

  @Test
  void shouldCutATornRecordAndReportIt() throws IOException {
    Path log = newestUsedLog();
    byte[] bytes = Files.readAllBytes(log);
    AckLogFile file = AckLogFile.read(log, number(log));
    int place = 0;
    while (file.isValid(place)) {
      place++;
    }
    bytes[AckLog.HEADER + place * AckLog.RECORD] = 17;
    Files.write(log, bytes);
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.recovery().torn()).isEqualTo(1);
      assertThat(ledger.recovery().damaged()).isEmpty();
      assertThat(ledger.floor()).isEqualTo(trueFloor());
    }
  }

  /** Opens twice, so that what the first opening writes is checked too. */
  private void check(Path copy, String what) throws IOException {
    for (int opening = 1; opening <= 2; opening++) {
      try (Ledger ledger = reopen(copy)) {
        assertThat(ledger.floor()).as(what).isLessThanOrEqualTo(trueFloor());
        long expected = ledger.floor();
        while (expected < end && ledger.hasRoom()) {
          for (long s = expected; s < ledger.position(); s++) {
            assertThat(s < BACK || finished.contains(s)).as("%s: %d", what, s).isTrue();
          }
          expected = ledger.position() + 1;
          ledger.handOver(ledger.position(), 0, 0);
        }
        if (opening == 2) {
          assertThat(ledger.recovery().damaged()).as(what).isEmpty();
        }
      } catch (RuntimeException e) {
        throw new AssertionError(what, e);
      }
    }
  }

  private long trueFloor() {
    long floor = BACK;
    while (finished.contains(floor)) {
      floor++;
    }
    return floor;
  }

  private static Ledger reopen(Path where) {
    return Ledgers.withAck(where, LIMITS, ORIGIN, Runnable::run);
  }

  private Path copy() throws IOException {
    Path copy = Files.createDirectory(base.resolve("copy" + copies++));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /** The files that hold something. */
  private static List<Path> used(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> used = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        if (!file.toString().contains("spare") && Files.readAllBytes(file)[0] != 0) {
          used.add(file);
        }
      }
      return used;
    }
  }

  private Path newestUsedLog() throws IOException {
    return used(directory).stream()
        .filter(file -> file.toString().endsWith(".log"))
        .reduce((a, b) -> number(a) > number(b) ? a : b)
        .orElseThrow();
  }

  private static long number(Path log) {
    return Long.parseLong(log.getFileName().toString().replaceAll("[^0-9]", ""));
  }
}
