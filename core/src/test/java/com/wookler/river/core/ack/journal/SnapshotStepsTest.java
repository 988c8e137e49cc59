package com.wookler.river.core.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.wookler.river.core.ack.AckResult;
import com.wookler.river.core.ack.EntryState;
import com.wookler.river.core.ack.InitialPosition;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Limits;
import com.wookler.river.core.ack.Ring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that are copied step by step, while the ledger goes on. */
class SnapshotStepsTest {
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final InitialPosition ORIGIN = new InitialPosition(0, 0);
  private static final int DELAYED_ONE_OF = 15;

  @TempDir Path base;

  private final Queue<Runnable> flusher = new ArrayDeque<>();

  @Test
  void shouldCopyAcrossTheEdgeOfTheRing() {
    Ring ring = new Ring(1000);
    ring.extendTo(1100);
    for (long s = 1000; s < 1100; s++) {
      ring.attempt(s, (int) (s - 999));
    }
    ring.move(1099, EntryState.COMPLETED);
    AckState state = AckState.of(ring, 1050);
    assertThat(state.size()).isEqualTo(100);
    assertThat(state.hasOwnAttempts(0)).isFalse(); // below the mark, delivered once
    for (int i = 1; i < 99; i++) {
      assertThat(state.attempts(i)).isEqualTo(i + 1);
      assertThat(state.isCompleted(i)).isFalse();
    }
    assertThat(state.isCompleted(99)).isTrue();
    assertThat(state.hasOwnAttempts(99)).isFalse();
  }

  @Test
  void shouldCountAsFinishedWhatTheFloorPassesMeanwhile() {
    Ring ring = new Ring(0);
    ring.extendTo(1000);
    AckState state = new AckState(ring, 1000);
    state.step();
    ring.raise(900);
    ring.extendTo(5000); // other entries in their places
    while (!state.isComplete()) {
      state.step();
    }
    assertThat(state.isCompleted(63)).isFalse();
    assertThat(state.isCompleted(64)).isTrue();
    assertThat(state.isCompleted(899)).isTrue();
    assertThat(state.isCompleted(900)).isFalse();
  }

  @Test
  void shouldLoseNothingWhereverTheCopyStandsWhenKilled() throws IOException {
    Random random = new Random(5);
    Path directory = base.resolve("subscriber");
    Set<Long> completed = new HashSet<>();
    Set<Long> delayed = new HashSet<>();
    Map<Long, Integer> attempts = new HashMap<>();
    try (Ledger ledger = Ledgers.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, flusher::add)) {
      Map<Long, Long> tags = new HashMap<>();
      for (int i = 0; i < 260_000; i++) {
        long sequence = ledger.position();
        tags.put(sequence, ledger.deliver(sequence, 0, 0));
        attempts.put(sequence, 1);
        long decided = Math.max(0, sequence - random.nextInt(30_000));
        if (decided % DELAYED_ONE_OF == 0 && tags.containsKey(decided)) {
          ledger.retry(decided, tags.remove(decided), 60_000, 0);
          delayed.add(decided);
        } else {
          decide(ledger, tags, decided, completed, attempts);
        }
        if (random.nextInt(400) == 0 && !flusher.isEmpty()) {
          flusher.remove().run();
        }
        if (i % 20_000 == 19_999) {
          Path copy = Copies.of(directory);
          checkDelays(copy, ledger.position(), delayed);
          check(copy, ledger.position(), completed, attempts);
        }
      }
      assertThat(ledger.completedAboveLowWatermark()).isGreaterThan(50_000);
    }
  }

  private static void decide(
      Ledger ledger,
      Map<Long, Long> tags,
      long sequence,
      Set<Long> completed,
      Map<Long, Integer> attempts) {
    Long tag = tags.get(sequence);
    if (tag == null || sequence == 0) {
      return;
    }
    if (sequence % 3 != 0) {
      if (ledger.acknowledge(sequence, tag) == AckResult.STALE) {
        fail("sequence %d is stale", sequence);
      }
      completed.add(sequence);
      tags.remove(sequence);
    } else if (sequence % 2 == 0) {
      ledger.release(sequence, tag);
      tags.put(sequence, ledger.redeliver(sequence, 0));
    } else {
      ledger.retry(sequence, tag, 0, 0);
      tags.put(sequence, ledger.redeliver(sequence, 0));
      attempts.merge(sequence, 1, Integer::sum);
    }
  }

  private static void check(Path copy, long end, Set<Long> completed, Map<Long, Integer> attempts) {
    try (Ledger killed = Ledgers.withAck(copy, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
      assertThat(killed.recovery().damaged()).isEmpty();
      for (long s = killed.lowWatermark(); s < end; s++) {
        // plain conditions: two million assertions take minutes
        boolean again = s == killed.position();
        if (again == completed.contains(s)) {
          fail("sequence %d %s", s, again ? "comes again" : "is lost");
        }
        if (again && Ledger.attempt(killed.deliver(s, 0, 0)) != attempts.get(s) + 1) {
          fail("sequence %d had %d attempts", s, attempts.get(s));
        }
      }
    }
  }

  private static void checkDelays(Path copy, long end, Set<Long> delayed) {
    try (Ledger killed = Ledgers.withAck(copy, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
      assertThat(killed.recovery().delayed()).isEqualTo(delayed.size());
      for (long s = killed.lowWatermark(); s < end; s++) {
        if (killed.isPostponed(s, 59_999) != delayed.contains(s)) {
          fail("sequence %d", s);
        }
      }
    }
  }

  @Test
  void shouldCopyAndKeepInProportionToTheWindow() throws IOException {
    Path directory = base.resolve("subscriber");
    Generations generations = new Generations(directory, Copies.OWNER);
    Set<Long> snapshots = new HashSet<>();
    try (Ledger ledger = Ledgers.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
      for (long s = 0; s < 300_000; s++) {
        ledger.deliver(s, 0, 0);
      }
      for (long now = 1000; now < 4000; now += 1000) { // each redelivery is a record
        while (ledger.collectTimedOut(now) > 0) {
          // In steps.
        }
        for (int i = 0; i < 300_000; i++) {
          ledger.redeliver(ledger.nextReady(), now);
          if (i % 5000 == 0) {
            generations.list().stream()
                .filter(file -> !file.log())
                .forEach(file -> snapshots.add(file.generation()));
          }
        }
      }
      assertThat(snapshots).hasSizeBetween(900_000 / 150_000, 900_000 / 75_000 + 2);
      assertThat(files(directory)).isLessThan(4 * (300_000 / 4 / AckLog.RECORDS + 2));
      assertThat(generations.spareLogs())
          .isNotEmpty(); // for the next ones, should the disk be full
    }
  }

  private static long files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }
}
