package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One message that is never acknowledged. */
@Tag("full")
class StuckTest {
  @TempDir Path root;

  @Test
  void shouldStayInASmallHeapWhileOneMessageIsNeverAcked() throws Exception {
    try (ChildProcess child =
        ChildProcess.start(
            StuckChild.class,
            root.resolve("output"),
            ChildProcess.Launch.with("-Xmx64m"),
            root.resolve("data").toString(),
            Long.toString(Counts.STUCK))) {
      boolean ended = child.awaitEnd(Duration.ofMinutes(10));

      assertThat(ended).as("ended in time; it said: %s", child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
      assertThat(child.output()).contains(StuckChild.DONE);
    }
  }
}
