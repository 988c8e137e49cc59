package com.wookler.river.core.delay;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.delay.DelayedLog.Copy;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With {@code queue.on.damage=STOP} a delayed message that is damaged waits, and no other. */
class DamagedDelayTest {
  private static final DelayLimits SMALL = new DelayLimits(16, 4_096, 32);
  private static final long SECOND = 1_000_000;
  private static final long FIRST = 0x5EA1_0000_1234_0000L; // found nowhere else in the files

  @TempDir Path base;

  @Test
  void shouldDeliverWhatIsDueBeforeOneThatIsDamaged() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      log.stops(true);
      log.publish(FIRST, 100 * SECOND);
      log.run();
      log.damage(FIRST);
      for (int i = 1; i <= 40; i++) { // more than are remembered without files
        log.publish(FIRST + i, 200 * SECOND);
      }
      log.publish(FIRST + 100, SECOND);
      log.run();
      log.advance(2);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(FIRST + 100);
    }
  }

  @Test
  void shouldDeliverWhatIsDueBehindOneThatIsDamagedInTheLog() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.stops(true);
      log.publish(FIRST, SECOND, 2 * SECOND, 3 * SECOND, 20 * SECOND);
      log.run();
      log.damage(FIRST + 1);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::sequence).containsExactly(0L, 2L);
      assertThat(log.timers().waiting()).isEqualTo(2);
      log.flush();
      log.publish(FIRST + 4, 20 * SECOND);
      log.run();
      log.flush(); // a block may leave when two states say so
      assertThat(log.timers().lowWatermark()).isGreaterThan(3);
      log.kill();
      log.advance(100);
      log.run();
      assertThat(log.copies())
          .extracting(Copy::number)
          .containsExactly(FIRST, FIRST + 2, FIRST + 3, FIRST + 4);
      assertThat(log.timers().waiting()).isEqualTo(1);
      assertThat(log.lost).isEmpty();
    }
  }

  /** Subscribers may have passed it: nobody else would say so. */
  @Test
  void shouldSayThatOneMayBeLostThatWasInNoFileYet() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT);
        CapturedLog said = new CapturedLog(Collector.class)) {
      log.stops(true);
      log.publish(FIRST, SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND);
      log.run();
      log.damage(FIRST + 1);
      log.damage(FIRST + 2);
      log.kill();
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::sequence).containsExactly(0L, 3L);
      assertThat(said.warnings())
          .singleElement()
          .asString()
          .contains("orders", "sequence 1 is damaged", "it will not come");
    }
  }

  @Test
  void shouldKeepOneThatIsDamagedInAFileUntilItIsPassedOver() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.stops(true);
      log.publish(FIRST, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      log.damageInFiles(FIRST + 1);
      log.advance(10);
      for (int minute = 0; minute < 3; minute++) {
        log.run();
        assertThat(log.copies()).extracting(Copy::sequence).containsExactly(0L, 2L);
        assertThat(log.timers().waiting()).isEqualTo(1);
        assertThat(log.timers().waitingBelow(3)).isEqualTo(1);
        log.flush();
        log.kill();
        log.advance(61);
      }
      assertThat(log.lost).isEmpty();

      log.stops(false);
      log.run();
      assertThat(log.copies()).hasSize(2);
      assertThat(log.timers().waiting()).isZero();
      assertThat(log.lost).hasSize(1);
      assertThat(log.lost.get(0).first()).isEqualTo(1);
    }
  }

  @Test
  void shouldDeliverOneThatIsMended() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.stops(true);
      log.publish(FIRST, SECOND, 2 * SECOND);
      log.run();
      log.flush();
      log.damageInFiles(FIRST);
      log.advance(10);
      log.run();
      log.flush();
      log.advance(61);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(FIRST + 1);
      log.damageInFiles(FIRST); // back to what it was: its bytes have gone from file to file
      log.advance(61);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(FIRST + 1, FIRST);
    }
  }

  @Test
  void shouldGiveEachOtherOnceAndLoseNoneThroughKillsAndDamage() throws IOException {
    for (long seed = 1; seed <= Integer.getInteger("river.delay.histories", 2); seed++) {
      try (DelayedLog log = new DelayedLog(base.resolve("history-" + seed), SMALL)) {
        log.stops(true);
        Set<Long> damaged = new TreeSet<>();
        Map<Long, Long> published = live(log, new Random(seed), damaged);
        assertThat(log.lost).as("seed %d", seed).isEmpty();
        assertThat(log.copies().size() + log.timers().waiting())
            .as("seed %d", seed)
            .isEqualTo(published.size());

        log.stops(false);
        log.advance(61);
        log.run();
        List<Long> seen = new ArrayList<>();
        log.copies().forEach(copy -> seen.add(copy.sequence()));
        log.lost.forEach(damage -> seen.add(damage.first()));
        assertThat(seen)
            .as("seed %d", seed)
            .containsExactlyInAnyOrderElementsOf(published.keySet());
        assertThat(log.lost)
            .as("seed %d", seed)
            .isNotEmpty()
            .allMatch(damage -> damaged.contains(published.get(damage.first())));
      }
    }
  }

  /** Returns what was published: the number of each by its sequence. */
  private static Map<Long, Long> live(DelayedLog log, Random random, Set<Long> damaged)
      throws IOException {
    Map<Long, Long> published = new TreeMap<>();
    for (int step = 0; step < 150; step++) {
      switch (random.nextInt(8)) {
        case 0 -> log.kill();
        case 1 -> log.flush();
        case 2, 3 -> log.advance(random.nextInt(40));
        case 4 -> {
          long one = random.nextInt(published.size() + 1);
          if (damaged.add(one)) {
            log.damageInFiles(FIRST + one);
          }
        }
        default -> {
          long[] delays = random.longs(random.nextInt(12) + 1, SECOND, 200 * SECOND).toArray();
          long number = published.size();
          long first = log.publish(FIRST + number, delays);
          for (int i = 0; i < delays.length; i++) {
            published.put(first + i, number + i);
          }
        }
      }
      if (random.nextBoolean()) {
        log.run();
      }
    }
    for (int i = 0; i < 6; i++) {
      log.advance(61);
      log.run();
      log.flush();
    }
    return published;
  }
}
