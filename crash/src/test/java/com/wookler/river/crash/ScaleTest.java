package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Tag("full")
class ScaleTest {
  private static final Logger LOG = LoggerFactory.getLogger(ScaleTest.class);
  private static final long MESSAGES = Long.getLong("river.scale.messages", 3_000_000);

  @TempDir Path directory;

  @Test
  void shouldPassMillionsOfMessagesThroughASmallHeap() throws Exception {
    Path data = directory.resolve("data");
    try (ChildProcess child =
        ChildProcess.start(
            ScaleChild.class,
            directory.resolve("output"),
            ChildProcess.Launch.with("-Xmx256m"),
            data.toString(),
            Long.toString(MESSAGES))) {
      boolean ended = child.awaitEnd(Duration.ofMinutes(5));
      assertThat(ended).as("ended in time; it said: %s", child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
      assertThat(child.output()).contains(ScaleChild.DONE);
      LOG.warn("{}", child.output().lines().filter(l -> l.contains(ScaleChild.DONE)).findFirst());
    }
  }
}
