package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that stands still, as in a long pause of a virtual machine. */
class PauseTest {
  private static final int ROUNDS = 2;

  @TempDir Path root;

  @Test
  void shouldRefuseReceiptsThatRanOutWhileTheProcessStoodStill() throws Exception {
    assumeTrue(Shell.has("kill"), "SKIPPED: no kill to stop a process");
    Rounds rounds =
        new Rounds(
            new Site(
                Files.createDirectory(root.resolve("tested")),
                Files.createDirectory(root.resolve("ledger"))),
            Scenario.DEFAULT,
            Counts.seed(PauseTest.class));
    for (int i = 0; i < ROUNDS; i++) {
      rounds.next(new Pause());
    }
    rounds.finish();

    assertThat(rounds.summary().stale()).as("refused receipts: %s", rounds.summary()).isPositive();
    assertThat(rounds.summary().redelivered()).isPositive();
  }
}
