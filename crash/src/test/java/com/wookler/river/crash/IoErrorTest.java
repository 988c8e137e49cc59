package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.crash.Scenario.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the system calls of a running queue fail, each kind in turn. */
class IoErrorTest {
  private static final Logger LOG = LoggerFactory.getLogger(IoErrorTest.class);
  private static final int OF_ONE = 20;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldPromiseNothingFalseWhenSystemCallsFail() throws Exception {
    Strace.assume();
    long seed = Counts.seed(IoErrorTest.class);
    Scenario scenario = Scenario.DEFAULT.at(Level.MIXED).thatMayFail();
    IoError fault = new IoError(scenario, ClassJar.of(root.resolve("classes.jar")));
    Summary sum = Summary.NONE;
    List<IoError.Failure> failures = List.of(IoError.Failure.values());
    int done = 0;
    while (done < Counts.IO_ERRORS) {
      Rounds rounds = new Rounds(site(), scenario, seed + done);
      for (int i = 0; i < OF_ONE && done < Counts.IO_ERRORS; i++) {
        fault.next(failures.get((int) ((seed + done) % failures.size())));
        rounds.next(fault);
        done++;
      }
      rounds.finish();
      sum = sum.plus(rounds.summary());
    }

    LOG.warn("{} rounds: {}; {}", Counts.IO_ERRORS, sum, new TreeMap<>(fault.counts()));
    assertThat(sum.promised()).isPositive();
    assertThat(fault.counts()).isNotEmpty();
  }

  private Site site() throws Exception {
    return new Site(
        Files.createTempDirectory(root, "tested"), Files.createTempDirectory(root, "ledger"));
  }
}
