package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The system's wall clock is set by half a day, forwards and backwards, within a run and between
 * runs: delays, expiry, acknowledgement timeouts, and the retention of log and backups go on. Takes
 * minutes on a slow machine, so only with {@code -Driver.crash.clock=true}.
 */
@EnabledIfSystemProperty(named = "river.crash.clock", matches = "true")
class SystemClockTest {
  private static final Duration END = Duration.ofMinutes(5);

  @TempDir Path root;

  private String run(Path data, Path library, String... offsets) throws Exception {
    Path offset = root.resolve("offset");
    FakeClock.set(offset, offsets[0]);
    List<String> arguments = new ArrayList<>(List.of(data.toString(), offset.toString()));
    arguments.addAll(List.of(offsets));
    try (ChildProcess child =
        ChildProcess.start(
            ClockChild.class,
            Files.createTempFile(root, "output", ""),
            ChildProcess.Launch.PLAIN.in(FakeClock.environment(library, offset)),
            arguments)) {
      assertThat(child.awaitEnd(END)).as(child.output()).isTrue();
      assertThat(child.output()).contains(ClockChild.RIGHT);
      return child.output();
    }
  }

  @Test
  void shouldGoOnWhereTheClockIsSetWithinARun() throws Exception {
    String said = run(root.resolve("data"), FakeClock.assume(), "+0", "+12h", "-12h");

    assertThat(said)
        .containsOnlyOnce("was set forward by PT12H,")
        .containsOnlyOnce("was set back by PT24H,");
  }

  @Test
  void shouldGoOnWhereTheClockIsSetBetweenRuns() throws Exception {
    Path library = FakeClock.assume();
    for (String offset : List.of("+12h", "+0", "+12h")) {
      run(root.resolve("data"), library, offset);
    }
  }
}
