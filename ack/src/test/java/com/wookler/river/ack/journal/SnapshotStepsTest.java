package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.Ring;
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

  /** What a snapshot has, as its file is read. */
  private static final class Content implements JournalVisitor {
    private final Set<Long> completed = new HashSet<>();
    private final Map<Long, Integer> attempts = new HashMap<>();
    private long lowWatermark;
    private long deliveredEnd;

    static Content of(Snapshot state) {
      Content content = new Content();
      var file = new Generations.Numbered(5, false, false, Path.of("ack-5.snap"));
      byte[] bytes = state.encode(5, Copies.OWNER);
      assertThat(Snapshot.read(file, bytes, Copies.OWNER, content)).isTrue();
      return content;
    }

    @Override
    public void restart(long from) {
      lowWatermark = from;
    }

    @Override
    public void lowWatermark(long at) {
      fail("a snapshot restarts");
    }

    @Override
    public void deliveredEnd(long position) {
      deliveredEnd = position;
    }

    @Override
    public void completed(long from, long count) {
      for (long s = from; s < from + count; s++) {
        assertThat(completed.add(s)).as("%d twice", s).isTrue();
      }
    }

    @Override
    public void attempts(long sequence, int count) {
      assertThat(attempts.put(sequence, count)).as("%d twice", sequence).isNull();
    }

    @Override
    public void notBefore(long sequence, long untilMillis, int delaySeconds) {
      fail("nothing is delayed");
    }
  }

  @Test
  void shouldCopyAcrossTheEdgeOfTheRing() {
    Ring ring = new Ring(1000);
    ring.extendTo(1100);
    for (long s = 1000; s < 1100; s++) {
      ring.attempt(s, (int) (s - 999));
    }
    ring.move(1099, EntryState.COMPLETED);
    Content content = Content.of(Snapshot.of(ring, 1050));
    assertThat(content.lowWatermark).isEqualTo(1000);
    assertThat(content.deliveredEnd).isEqualTo(1050);
    assertThat(content.attempts).hasSize(98).doesNotContainKey(1000L); // delivered once
    for (int i = 1; i < 99; i++) {
      assertThat(content.attempts.get(1000L + i)).isEqualTo(i + 1);
    }
    assertThat(content.completed).containsExactly(1099L);
  }

  @Test
  void shouldCountAsFinishedWhatTheFloorPassesMeanwhile() {
    Ring ring = new Ring(0);
    ring.extendTo(1000);
    Snapshot state = new Snapshot(ring, 1000);
    state.step();
    ring.raise(900);
    ring.extendTo(5000); // other entries in their places
    while (!state.isComplete()) {
      state.step();
    }
    Set<Long> completed = Content.of(state).completed;
    assertThat(completed).doesNotContain(63L, 900L).contains(64L, 899L).hasSize(900 - 64);
  }

  @Test
  void shouldReadBackAnyPatternOfWhatIsCompleted() {
    Random random = new Random(3);
    for (int round = 0; round < 200; round++) {
      Ring ring = new Ring(7);
      ring.extendTo(8 + random.nextInt(300));
      Set<Long> completed = new HashSet<>();
      int oneOf = 1 + random.nextInt(5);
      for (long s = 7; s < ring.end(); s++) {
        if (random.nextInt(oneOf) == 0) {
          ring.move(s, EntryState.COMPLETED);
          completed.add(s);
        }
      }
      assertThat(Content.of(Snapshot.of(ring, 7)).completed).isEqualTo(completed);
    }
  }

  @Test
  void shouldLoseNothingWhereverTheCopyStandsWhenKilled() throws IOException {
    Random random = new Random(5);
    Path directory = base.resolve("subscriber");
    Set<Long> completed = new HashSet<>();
    Set<Long> delayed = new HashSet<>();
    Map<Long, Integer> attempts = new HashMap<>();
    try (Ledger ledger =
        LedgerOpener.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, flusher::add)) {
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
      assertThat(ledger.count(EntryState.COMPLETED)).isGreaterThan(50_000);
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
    try (Ledger killed = LedgerOpener.withAck(copy, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
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
    try (Ledger killed = LedgerOpener.withAck(copy, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
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
    try (Ledger ledger =
        LedgerOpener.withAck(directory, Copies.OWNER, LIMITS, ORIGIN, Runnable::run)) {
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
