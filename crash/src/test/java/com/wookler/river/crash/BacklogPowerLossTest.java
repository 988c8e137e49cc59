package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts the power under a queue in which very many messages wait: it opens in a bounded time. {@code
 * -Driver.crash.backlog=10000000} for the long form.
 */
@Tag("full")
class BacklogPowerLossTest {
  private static final Logger LOG = LoggerFactory.getLogger(BacklogPowerLossTest.class);
  private static final int MESSAGES = Integer.getInteger("river.crash.backlog", 200_000);
  private static final Duration FILL = Duration.ofMinutes(10);

  @TempDir Path root;

  @Test
  void shouldOpenSoonThoughVeryManyWaited() throws Exception {
    LoopDevice.assume("ext4");
    Openings openings = new Openings();
    try (LoopDevice device =
        LoopDevice.make("ext4", Files.createDirectory(root.resolve("device")))) {
      Path filled = root.resolve("filled");
      try (ChildProcess child = start(device, MESSAGES, filled)) {
        Waiting.until(FILL, () -> Files.exists(filled) || !child.isAlive());
        Waiting.alive(Duration.ofMillis(200), child);
        device.cut();
        child.kill();
      }
      device.restore();
      Path opened = root.resolve("opened");
      try (ChildProcess child = start(device, 0, opened)) {
        assertThat(child.awaitEnd(FILL)).as(child.output()).isTrue();
        assertThat(child.exitValue()).as(child.output()).isZero();
        LOG.warn("After the loss of power: {}", child.output());
      }
      assertThat(opened).exists();
      openings.add(opened);
    }
    LOG.warn("{} waiting messages, a loss of power: {}", MESSAGES, openings);
  }

  private ChildProcess start(LoopDevice device, int messages, Path file) throws Exception {
    return ChildProcess.start(
        BacklogChild.class,
        root.resolve("output-" + messages),
        ChildProcess.Launch.PLAIN,
        device.mount().resolve("data").toString(),
        Integer.toString(messages),
        file.toString());
  }
}
