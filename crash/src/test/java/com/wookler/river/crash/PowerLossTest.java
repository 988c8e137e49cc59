package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.crash.Scenario.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts the power of a file system on a loop device. Nothing that was promised to be on the device
 * is lost; of what was at MEMORY, only what came after the last force had begun.
 */
@Tag("full")
class PowerLossTest {
  private static final Logger LOG = LoggerFactory.getLogger(PowerLossTest.class);

  /** Losses on one file system before all is delivered and the next one is made. */
  private static final int OF_ONE = 10;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private final Openings openings = new Openings();

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({"ext4,DISK", "ext4,MEMORY", "xfs,DISK", "xfs,MEMORY"})
  void shouldLoseNothingThatWasForcedWhenThePowerFails(String type, Level level) throws Exception {
    LoopDevice.assume(type);
    Path observed = Forces.observed(root);
    long seed = Counts.seed(PowerLossTest.class);
    Summary sum = Summary.NONE;
    for (int done = 0; done < Counts.POWER_LOSSES; done += OF_ONE) {
      int losses = Math.min(OF_ONE, Counts.POWER_LOSSES - done);
      sum = sum.plus(losses(type, level, losses, seed + done, observed));
      LOG.info("{} {}: {} losses: {}", type, level, done + losses, sum);
    }

    LOG.warn("{} {}: {} losses of power: {}; {}", type, level, Counts.POWER_LOSSES, sum, openings);
    assertThat(sum.promised() + sum.acked()).isPositive();
    if (level == Level.DISK) {
      assertThat(sum.lost()).isZero();
    }
  }

  private Summary losses(String type, Level level, int losses, long seed, Path observed)
      throws Exception {
    Path ledger = Files.createTempDirectory(root, "ledger");
    try (LoopDevice device = LoopDevice.make(type, Files.createTempDirectory(root, "device"))) {
      Rounds rounds =
          new Rounds(
              new Site(device.mount(), ledger), Scenario.DEFAULT.at(level).thatMayFail(), seed);
      PowerLoss fault = new PowerLoss(device, observed);
      for (int i = 0; i < losses; i++) {
        rounds.next(fault);
      }
      rounds.finish();
      openings.add(rounds.openings());
      return rounds.summary();
    }
  }
}
