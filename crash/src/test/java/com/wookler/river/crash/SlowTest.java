package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reactor whose processors are slower than publishers. */
@Tag("full")
class SlowTest {
  private static final int MESSAGES = 10_000; // 160 MB

  @TempDir Path root;

  @Test
  void shouldStayInASmallHeapWhileProcessorsStandStill() throws Exception {
    try (ChildProcess child =
        ChildProcess.start(
            SlowChild.class,
            root.resolve("output"),
            ChildProcess.Launch.with("-Xmx40m", "-XX:+ExitOnOutOfMemoryError"),
            root.resolve("data").toString(),
            String.valueOf(MESSAGES))) {
      assertThat(child.awaitEnd(Duration.ofMinutes(2))).as(child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
      assertThat(child.output())
          .contains(
              SlowChild.DONE
                  + ": "
                  + SlowChild.THREADS * SlowChild.BATCH
                  + " in flight, "
                  + (long) MESSAGES * SlowChild.BYTES
                  + " bytes");
    }
  }
}
