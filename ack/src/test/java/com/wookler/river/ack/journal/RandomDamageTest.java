package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One to three damages at random in the files of two subscribers, for as many seeds as {@code
 * -Driver.damage.seeds} says: both open, neither takes for completed what wasn't, what comes again
 * though it was completed is reported, and what waits does so no longer than was asked for.
 */
class RandomDamageTest {
  private static final int SEEDS = Integer.getInteger("river.damage.seeds", 8);
  private static final long FIRST_SEED = Long.getLong("river.damage.seed", 1);
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final InitialPosition ORIGIN = new InitialPosition(0, 0);
  private static final int ROUND = 400;
  private static final int ROUNDS = 4;

  @TempDir Path base;

  /** A subscriber, and the truth about it. */
  private record Truth(String name, Owner owner, Set<Long> completed, Set<Long> delayed) {}

  private final List<Truth> truths = new ArrayList<>();

  @BeforeEach
  void live() throws IOException {
    for (String name : List.of("audit", "billing")) {
      Truth truth = new Truth(name, new Owner(name.hashCode()), new HashSet<>(), new HashSet<>());
      Random random = new Random(name.hashCode());
      for (int round = 0; round < ROUNDS; round++) {
        try (Ledger ledger = open(base.resolve("sound"), truth)) {
          finishSome(ledger, truth, random);
        }
        tearNewestLog(base.resolve("sound").resolve(name), truth.owner());
      }
      truths.add(truth);
    }
  }

  /** As a power loss does behind the last record: the next opening begins another generation. */
  private static void tearNewestLog(Path directory, Owner owner) throws IOException {
    Generations.Numbered newest =
        new Generations(directory, owner)
            .list().stream()
                .filter(Generations.Numbered::log)
                .reduce((older, newer) -> newer)
                .orElseThrow();
    byte[] bytes = Files.readAllBytes(newest.path());
    bytes[bytes.length - 1] = 1;
    Files.write(newest.path(), bytes);
  }

  private static void finishSome(Ledger ledger, Truth truth, Random random) {
    for (int i = 0; i < ROUND; i++) {
      long sequence = ledger.position();
      long tag = ledger.deliver(sequence, 0, 0);
      truth.delayed().remove(sequence);
      int what = random.nextInt(6);
      if (what > 1) {
        ledger.acknowledge(sequence, tag);
        truth.completed().add(sequence);
      } else if (what == 1) {
        ledger.retry(sequence, tag, until(sequence), 0);
        truth.delayed().add(sequence);
      }
    }
  }

  /** When it comes again if it is delayed. */
  private static long until(long sequence) {
    return 1_000 + sequence;
  }

  private static Ledger open(Path where, Truth truth) {
    return LedgerOpener.withAck(
        where.resolve(truth.name()), truth.owner(), LIMITS, ORIGIN, Runnable::run);
  }

  @Test
  void shouldOpenAndLoseNothingWhateverIsDamaged() throws IOException {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      shouldHold(seed);
    }
  }

  @Test
  void shouldTellThatTheLogInUseIsNotKnown() throws IOException {
    shouldHold(801_108); // an empty log stands in its place, and the cursor does not say its number
  }

  private void shouldHold(long seed) throws IOException {
    Random random = new Random(seed);
    Path copy = copy(seed);
    List<String> done = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      done.add(damage(copy, random));
    }
    for (Truth truth : truths) {
      check(copy, truth, "seed " + seed + ", " + truth.name() + ": " + done);
    }
    delete(copy);
  }

  private static void check(Path copy, Truth truth, String what) {
    try (Ledger ledger = open(copy, truth)) {
      RecoveryReport report = ledger.recovery();
      long again = 0;
      long expected = ledger.lowWatermark();
      for (long s = 0; s < expected; s++) {
        assertThat(truth.completed()).as(what).contains(s);
      }
      while (expected < ROUND * ROUNDS) {
        for (; expected < ledger.position(); expected++) {
          assertThat(truth.completed()).as(what).contains(expected);
        }
        again += truth.completed().contains(expected) ? 1 : 0;
        assertThat(ledger.isPostponed(expected, until(expected))).as(what).isFalse();
        if (report.damaged().isEmpty() && report.torn() == 0) {
          assertThat(ledger.isPostponed(expected, until(expected) - 1))
              .as(what)
              .isEqualTo(truth.delayed().contains(expected));
        }
        ledger.deliver(expected, 0, 0);
        expected++;
      }
      if (again > 0) {
        assertThat(report.damaged().size() + report.torn()).as(what).isPositive();
      }
    } catch (RuntimeException e) {
      throw new AssertionError(what, e);
    }
  }

  /** Damages something, and says what. */
  private static String damage(Path copy, Random random) throws IOException {
    List<Path> files = files(copy);
    Path file = files.get(random.nextInt(files.size()));
    Path other = files.get(random.nextInt(files.size()));
    byte[] bytes = Files.readAllBytes(file);
    int used = used(bytes);
    int at = random.nextInt(Math.max(1, used));
    String what = copy.relativize(file) + " at " + at;
    switch (random.nextInt(7)) {
      case 0 -> {
        for (int i = random.nextInt(8); i >= 0 && used > 0; i--) {
          bytes[random.nextInt(used)] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(file, bytes);
        return "bits flipped in " + what;
      }
      case 1 -> {
        Files.write(file, Arrays.copyOf(bytes, at));
        return "cut: " + what;
      }
      case 2 -> {
        Arrays.fill(
            bytes, at / 4096 * 4096, Math.min(bytes.length, at / 4096 * 4096 + 4096), (byte) 0);
        Files.write(file, bytes);
        return "page zeroed: " + what;
      }
      case 3 -> {
        Arrays.fill(
            bytes, at, Math.min(bytes.length, at + random.nextInt(100)), (byte) random.nextInt());
        Files.write(file, bytes);
        return "overwritten: " + what;
      }
      case 4 -> {
        Files.delete(file);
        return "deleted: " + what;
      }
      case 5 -> {
        exchange(file, copy.resolve(nameOfOther(file)).resolve(file.getFileName()));
        return "exchanged with the other subscriber's: " + what;
      }
      default -> {
        exchange(file, other);
        return "exchanged with " + copy.relativize(other) + ": " + what;
      }
    }
  }

  private static String nameOfOther(Path file) {
    return file.getParent().endsWith("audit") ? "billing" : "audit";
  }

  private static void exchange(Path one, Path other) throws IOException {
    if (!Files.exists(other)) {
      Files.move(one, other);
      return;
    }
    byte[] bytes = Files.readAllBytes(one);
    Files.write(one, Files.readAllBytes(other));
    Files.write(other, bytes);
  }

  /** Up to the last byte that isn't zero. */
  private static int used(byte[] bytes) {
    int used = bytes.length;
    while (used > 0 && bytes[used - 1] == 0) {
      used--;
    }
    return used;
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private Path copy(long seed) throws IOException {
    Path sound = base.resolve("sound");
    Path copy = base.resolve("copy" + seed);
    for (Path file : files(sound)) {
      Path to = copy.resolve(sound.relativize(file));
      Files.createDirectories(to.getParent());
      Files.copy(file, to);
    }
    return copy;
  }

  private static void delete(Path root) throws IOException {
    for (Path file : files(root)) {
      Files.delete(file);
    }
  }
}
