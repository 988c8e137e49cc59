package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A process that stands still, as in a long pause of a virtual machine. */
@Tag("full")
class PauseTest {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @BeforeEach
  void needsKill() {
    assumeTrue(Shell.has("kill"), "SKIPPED: no kill to stop a process");
  }

  @Test
  void shouldRefuseReceiptsThatRanOutWhileTheProcessStoodStill() throws Exception {
    Path taken = root.resolve("taken");
    Path go = root.resolve("go");
    try (ChildProcess child =
        ChildProcess.start(
            PauseChild.class,
            root.resolve("output"),
            ChildProcess.Launch.PLAIN,
            root.resolve("data").toString(),
            taken.toString(),
            go.toString())) {
      Waiting.file(taken, child);
      Shell.run("kill", "-STOP", Long.toString(child.pid()));
      Waiting.alive(Scenario.ACK_TIMEOUT.multipliedBy(2), child);
      Files.createFile(go);
      Shell.run("kill", "-CONT", Long.toString(child.pid()));

      assertThat(child.awaitEnd(Waiting.RESUMED)).as(child.output()).isTrue();
      assertThat(child.output()).contains(PauseChild.RIGHT);
    }
  }

  @Test
  void shouldKeepEveryPromiseAcrossPauses() throws Exception {
    Rounds rounds =
        new Rounds(
            new Site(
                Files.createDirectory(root.resolve("tested")),
                Files.createDirectory(root.resolve("ledger"))),
            Scenario.DEFAULT,
            Counts.seed(PauseTest.class));
    rounds.next(new Pause());
    rounds.finish();

    assertThat(rounds.summary().promised()).isPositive();
  }
}
