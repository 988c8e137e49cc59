package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.crash.Kill.Half;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills the process with SIGKILL at random moments, the opening included, and compares everything
 * with what it had promised.
 *
 * <p>{@code -Driver.crash.rounds} (default 6; the profile {@code crash} sets 1,000) and {@code
 * -Driver.crash.seed} to repeat a run.
 */
class CrashTest {
  private static final Logger LOG = LoggerFactory.getLogger(CrashTest.class);
  private static final int ROUNDS = Counts.KILLS;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldKeepEveryPromiseAcrossKills() throws Exception {
    long seed = Counts.seed(CrashTest.class);
    Site site =
        new Site(
            Files.createDirectory(root.resolve("tested")),
            Files.createDirectory(root.resolve("ledger")));
    Rounds rounds = new Rounds(site, Scenario.DEFAULT, seed);
    Kill kill = new Kill();
    for (int round = 1; round <= ROUNDS; round++) {
      rounds.next(kill);
    }
    rounds.finish();

    LOG.warn("CrashTest: {} rounds: {}; {}; {}", ROUNDS, rounds.summary(), kill, rounds.openings());
    assertThat(rounds.summary().promised()).isPositive();
    assertThat(rounds.summary().acked()).isPositive();
    if (ROUNDS >= 100) {
      assertThat(kill.count(Half.OPENING)).isPositive();
      assertThat(kill.count(Half.ARCHIVE)).isPositive();
    }
  }
}
