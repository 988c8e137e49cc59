package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.wookler.river.benchmarks.profile.FlameSvg;
import com.wookler.river.benchmarks.profile.Stacks;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.utils.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FlameCommandTest {
  private static final Duration CAP = Duration.ofMillis(500);

  @TempDir Path directory;

  @Test
  void shouldSampleTheWorkingThreadsOfTheRoundsThatCount() throws Exception {
    Plan plan = new Plan(1, 0.5, CAP, Duration.ZERO, directory);

    Stacks stacks =
        FlameCommand.sample(
            Lines.byName("publish-100-1"),
            Systems.byName("river"),
            plan,
            Rounds::new,
            progress -> {});

    assertThat(stacks.samples()).isPositive();
    assertThat(FlameSvg.draw(stacks, List.of("smoke")))
        .contains("<title>PUBLISHER: ")
        .contains("load.Publishing.run: ")
        .doesNotContain("PublishTask.verify"); // that is of the warm-up
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatASystemCannotDo() {
    assertRefused(
        "mvstore cannot do forced-async", "--line", "forced-async", "--system", "mvstore");
    assertRefused("no line 'x' (--list lists them)", "--line", "x");
    assertRefused("--rounds is at least 1", "--line", "both-1k", "--rounds", "0");
  }

  private static void assertRefused(String message, String... arguments) {
    FlameCommand command = new FlameCommand();
    new CommandLine(command).parseArgs(arguments);
    assertThatExceptionOfType(UsageException.class).isThrownBy(command::call).withMessage(message);
  }
}
