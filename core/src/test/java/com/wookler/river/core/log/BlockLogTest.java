package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the log does when something under it fails. */
@Timeout(120)
class BlockLogTest {
  private static final Path MAPPINGS = Path.of("/proc/self/maps");

  @TempDir Path directory;

  /** The first that the log asks once Chronicle's files are open. */
  private static final class BrokenClock implements TimeSource {
    @Override
    public long nanoTime() {
      throw new IllegalStateException("broken");
    }

    @Override
    public Instant wallTime() {
      throw new IllegalStateException("broken");
    }

    @Override
    public long epochMicros() {
      throw new IllegalStateException("broken");
    }
  }

  @Test
  void shouldHoldNothingWhenTheFirstBlockCannotStart() throws IOException {
    assumeTrue(Files.isReadable(MAPPINGS), "mappings are listed in /proc/self, which is not here");
    try (LogFixture log = new LogFixture(directory)) {
      assertThatThrownBy(() -> log.open(LogFixture.IDENTITY, new BrokenClock()))
          .hasMessage("broken");
      assertThat(Files.readString(MAPPINGS)).doesNotContain(directory.toString());
      log.open();
      log.publish(3);
      assertThat(log.reader().next()).isNotNull();
    }
  }
}
