package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.RecoveryReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage of every kind in every file: the start never fails, and nothing is taken for completed
 * that wasn't.
 *
 * <p>The subscriber has been far ahead, was moved back to {@link #BACK}, and has completed two of
 * three messages from there on. It is looked at soon after the move, while what it had completed
 * before still stands beside it; later, after another generation; and when it was moved forward,
 * which makes void what it had completed ahead of it.
 */
class DamageTest {
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final InitialPosition ORIGIN = new InitialPosition(0, 0);
  private static final long BACK = 100;
  private static final long FORWARD = 300;

  @TempDir Path base;

  /** A subscriber's directory, and the truth about it. */
  private record Scene(Path directory, long start, Set<Long> completed, long end) {
    long lowWatermark() {
      return Stream.iterate(start, s -> s + 1)
          .filter(s -> !completed.contains(s))
          .findFirst()
          .orElseThrow();
    }

    boolean isCompleted(long sequence) {
      return sequence < start || completed.contains(sequence);
    }
  }

  private final List<Scene> scenes = new ArrayList<>();
  private Path directory;
  private int copies;

  @BeforeEach
  void live() throws IOException {
    directory = base.resolve("subscriber");
    Set<Long> completed = new HashSet<>();
    try (Ledger ledger =
        LedgerOpener.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
      for (long s = 0; s < 60_000; s++) {
        ledger.acknowledge(s, ledger.deliver(s, s, 0));
      }
      ledger.seek(BACK);
      deliver(ledger, 301, completed);
      scenes.add(new Scene(copy(directory), BACK, Set.copyOf(completed), ledger.position()));
      deliver(ledger, 60_000, completed);
      while (ledger.collectTimedOut(1000) > 0) {
        // In steps.
      }
      for (int i = 0; i < 700; i++) {
        ledger.redeliver(ledger.nextReady(), 1000);
      }
      Path later = copy(directory);
      scenes.add(new Scene(later, BACK, completed, ledger.position()));
      ledger.seek(FORWARD);
      ledger.acknowledge(FORWARD + 1, handOverTwo(ledger));
      scenes.add(new Scene(copy(directory), FORWARD, Set.of(FORWARD + 1), FORWARD + 2));
      directory = later;
    }
  }

  private static long handOverTwo(Ledger ledger) {
    ledger.deliver(FORWARD, 0, 0);
    return ledger.deliver(FORWARD + 1, 0, 0);
  }

  private static void deliver(Ledger ledger, int count, Set<Long> completed) {
    for (int i = 0; i < count; i++) {
      long s = ledger.position();
      long tag = ledger.deliver(s, s, 0);
      if (s % 3 != 0 || s < BACK + 50) {
        ledger.acknowledge(s, tag);
        completed.add(s);
      }
    }
  }

  @Test
  void shouldBeSoundBeforeItIsDamaged() throws IOException {
    for (Scene scene : scenes) {
      try (Ledger ledger = reopen(copy(scene.directory()))) {
        assertThat(ledger.recovery().damaged()).isEmpty();
        assertThat(ledger.recovery().torn()).isZero();
        assertThat(ledger.lowWatermark()).isEqualTo(scene.lowWatermark());
        assertThat(ledger.recovery().completedEnd()).isEqualTo(scene.end());
      }
      assertThat(used(scene)).hasSizeBetween(5, 6);
    }
  }

  @Tag("full")
  @Test
  void shouldSurviveAFlippedBitAnywhere() throws IOException {
    Random random = new Random(11);
    for (Scene scene : scenes) {
      for (Path file : used(scene)) {
        int size = (int) Files.size(file);
        List<Integer> offsets =
            new ArrayList<>(List.of(0, 8, 12, 16, 24, 32, 40, 63, 64, 72, 76, 79, 128, 136, 192));
        for (int i = 0; i < 8; i++) {
          offsets.add(random.nextInt(size));
        }
        for (int offset : offsets) {
          byte[] bytes = Files.readAllBytes(file);
          if (offset < size) {
            bytes[offset] ^= (byte) (1 << random.nextInt(8));
            check(scene, file, bytes, "bit flipped at " + offset);
          }
        }
      }
    }
  }

  @Test
  void shouldSurviveZeroedPages() throws IOException {
    for (Scene scene : scenes) {
      for (Path file : used(scene)) {
        int size = (int) Files.size(file);
        for (int from = 0; from < size; from += Math.max(4096, size / 4 / 4096 * 4096)) {
          byte[] bytes = Files.readAllBytes(file);
          Arrays.fill(bytes, from, Math.min(size, from + 4096), (byte) 0);
          check(scene, file, bytes, "zeroed from " + from);
        }
      }
    }
  }

  @Test
  void shouldSurviveFilesCutShort() throws IOException {
    for (Scene scene : scenes) {
      for (Path file : used(scene)) {
        byte[] bytes = Files.readAllBytes(file);
        for (int length : new int[] {0, 1, 63, 100, bytes.length / 2, bytes.length - 1}) {
          check(scene, file, Arrays.copyOf(bytes, length), "cut to " + length);
        }
      }
    }
  }

  @Test
  void shouldSurviveMissingFiles() throws IOException {
    for (Scene scene : scenes) {
      for (Path file : used(scene)) {
        Path copy = copy(scene.directory());
        Files.delete(copy.resolve(file.getFileName()));
        check(scene, copy, file.getFileName() + " missing");
      }
    }
  }

  @Test
  void shouldSurviveExchangedFiles() throws IOException {
    for (Scene scene : scenes) {
      for (Path file : used(scene)) {
        for (Path other : used(scene)) {
          check(scene, file, Files.readAllBytes(other), "replaced by " + other.getFileName());
        }
      }
    }
  }

  @Test
  void shouldDeliverEverythingAgainWhenNothingIsSound() throws IOException {
    for (Path file : used(scenes.get(1))) {
      Files.write(file, new byte[] {1, 2, 3});
    }
    try (Ledger ledger =
        LedgerOpener.withAck(
            directory, Copies.OWNER, LIMITS, new InitialPosition(70_000, 30), Runnable::run)) {
      assertThat(ledger.lowWatermark()).isEqualTo(30);
      assertThat(ledger.count(EntryState.COMPLETED)).isZero();
      assertThat(ledger.recovery().damaged())
          .anyMatch(line -> line.contains("delivering again from 30"));
    }
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.lowWatermark()).isEqualTo(30);
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
          .endsWith(log.getFileName() + ".damaged");
      before = ledger.count(EntryState.COMPLETED);
      assertThat(before).isGreaterThan(30_000);
    }
    assertThat(log).doesNotExist();
    assertThat(log.resolveSibling(log.getFileName() + ".damaged")).exists();
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.recovery().damaged()).isEmpty();
      assertThat(ledger.count(EntryState.COMPLETED)).isEqualTo(before);
    }
  }

  @Test
  void shouldCutATornRecordAndReportIt() throws IOException {
    Path log = newestUsedLog();
    byte[] bytes = Files.readAllBytes(log);
    AckLogFile file = AckLogFile.read(log, number(log), Copies.OWNER);
    int place = 0;
    while (file.isValid(place)) {
      place++;
    }
    bytes[AckLog.HEADER + place * AckLog.RECORD] = 17;
    Files.write(log, bytes);
    try (Ledger ledger = reopen(directory)) {
      assertThat(ledger.recovery().torn()).isEqualTo(1);
      assertThat(ledger.recovery().damaged()).isEmpty();
      assertThat(ledger.lowWatermark()).isEqualTo(scenes.get(1).lowWatermark());
    }
  }

  private void check(Scene scene, Path file, byte[] instead, String what) throws IOException {
    Path copy = copy(scene.directory());
    Files.write(copy.resolve(file.getFileName()), instead);
    check(scene, copy, file.getFileName() + " " + what);
  }

  /** Opens twice, so that what the first opening writes is checked too. */
  private static void check(Scene scene, Path copy, String what) {
    for (int opening = 1; opening <= 2; opening++) {
      try (Ledger ledger = reopen(copy)) {
        assertThat(ledger.lowWatermark()).as(what).isLessThanOrEqualTo(scene.lowWatermark());
        long again = 0;
        long next = ledger.lowWatermark();
        while (next < scene.end() && ledger.canDeliver()) {
          for (; next < ledger.position(); next++) {
            if (!scene.isCompleted(next)) { // asked far too often for an assertion each
              throw new AssertionError(what + ": " + next);
            }
          }
          again += scene.isCompleted(next) ? 1 : 0;
          ledger.deliver(next, 0, 0);
          next++;
        }
        RecoveryReport report = ledger.recovery();
        if (opening == 2) {
          assertThat(report.damaged()).as(what).isEmpty();
        } else if (again > 0) {
          assertThat(report.damaged().size() + report.torn()).as(what).isPositive();
        }
      } catch (RuntimeException e) {
        throw new AssertionError(what, e);
      }
    }
  }

  private static Ledger reopen(Path where) {
    return LedgerOpener.withAck(where, Copies.OWNER, LIMITS, ORIGIN, Runnable::run);
  }

  private Path copy(Path from) throws IOException {
    Path copy = Files.createDirectory(base.resolve("copy" + copies++));
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /** The files that hold something. */
  private static List<Path> used(Scene scene) throws IOException {
    try (Stream<Path> files = Files.list(scene.directory())) {
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
    return used(scenes.get(1)).stream()
        .filter(file -> file.toString().endsWith(".log"))
        .reduce((a, b) -> number(a) > number(b) ? a : b)
        .orElseThrow();
  }

  private static long number(Path log) {
    return Long.parseLong(log.getFileName().toString().replaceAll("[^0-9]", ""));
  }
}
