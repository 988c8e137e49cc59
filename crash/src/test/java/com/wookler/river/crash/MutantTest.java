package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.crash.Scenario.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests, tested: with a line of River changed, the test that holds the promise must find it
 * broken.
 */
@Tag("full")
class MutantTest {
  private static final int TRIES = 5;

  @TempDir Path root;

  @Test
  void shouldFindThatNothingIsForced() throws Exception {
    LoopDevice.assume("ext4");
    Path unforced =
        new Patch(root)
            .change(
                "com/wookler/river/common/file/Device.java",
                new Patch.Change("view.force(from, length);", "", 2),
                new Patch.Change("channel.force(false);", ""))
            .compile();
    Path observed = Forces.observed(root);
    Path ledger = Files.createDirectory(root.resolve("ledger"));
    try (LoopDevice device = LoopDevice.make("ext4", root)) {
      Rounds rounds =
          new Rounds(
              new Site(device.mount(), ledger),
              Scenario.DEFAULT.at(Level.DISK).thatMayFail(),
              Counts.seed(MutantTest.class));
      PowerLoss fault = new PowerLoss(device, observed, unforced);

      assertThatThrownBy(
              () -> {
                for (int i = 0; i < TRIES; i++) {
                  rounds.next(fault);
                }
              })
          .hasMessageContaining("on the device")
          .hasMessageContaining("it is lost");
    }
  }

  @Test
  void shouldFindThatChecksumsAreNotCompared() throws Exception {
    assertThat(said(FlipChild.class, ChildProcess.Launch.PLAIN)).contains(FlipChild.RIGHT);
    Path unchecked =
        new Patch(root)
            .change(
                "com/wookler/river/core/message/DocumentReader.java",
                new Patch.Change(
                    "if (DocumentFormat.entryCheck(found, length) != check) {",
                    "if (check == 0 && length < 0) {",
                    1))
            .compile();

    assertThat(said(FlipChild.class, ChildProcess.Launch.PLAIN.behind(unchecked)))
        .contains(FlipChild.WRONG);
  }

  @Test
  void shouldFindThatSequencesCountedAsFinishedAreGivenAgain() throws Exception {
    assertThat(said(OrderChild.class, ChildProcess.Launch.PLAIN)).contains(OrderChild.RIGHT);
    Path unordered =
        new Patch(root)
            .change(
                "com/wookler/river/core/log/recovery/LogRecovery.java",
                new Patch.Change(
                    "long next = Math.max(blocks.end(), Math.max(marks.end(), input.completed()));",
                    "long next = blocks.end();"))
            .compile();

    assertThat(said(OrderChild.class, ChildProcess.Launch.PLAIN.behind(unordered)))
        .contains(OrderChild.WRONG);
  }

  private String said(Class<?> main, ChildProcess.Launch launch) throws Exception {
    Path directory = Files.createTempDirectory(root, "child");
    try (ChildProcess child =
        ChildProcess.start(
            main, directory.resolve("output"), launch, directory.resolve("data").toString())) {
      assertThat(child.awaitEnd(Waiting.RESUMED)).as(child.output()).isTrue();
      return child.output();
    }
  }
}
