package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The volume of a running queue becomes read-only, as ext4 makes it after an error. */
@Tag("full")
class ReadOnlyVolumeTest {
  private static final int ROUNDS = Math.max(2, Counts.KILLS / 3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  /** A store through a mapping of such a volume is a SIGBUS, which can end the JVM. */
  @Test
  void shouldStoreNothingThroughAMappingWhenTheVolumeHasBecomeReadOnly() throws Exception {
    LoopDevice.assume("ext4");
    long seed = Counts.seed(ReadOnlyVolumeTest.class);
    try (LoopDevice device = LoopDevice.makeJournaled(root)) {
      for (int round = 0; round < ROUNDS; round++) {
        Path data = Files.createDirectory(device.mount().resolve("round" + round));
        Path ready = root.resolve("ready" + round);
        Path go = root.resolve("go" + round);
        ChildProcess.Launch launch =
            ChildProcess.Launch.with("-XX:ErrorFile=" + root.resolve("hs_err" + round));
        try (ChildProcess child =
            ChildProcess.start(
                ReadOnlyChild.class,
                root.resolve("output" + round),
                launch,
                data.toString(),
                ready.toString(),
                go.toString(),
                Long.toString(seed + round))) {
          Waiting.file(ready, child);
          device.makeReadOnly();
          Files.createFile(go);
          boolean ended = child.awaitEnd(Duration.ofMinutes(2));

          assertThat(ended).as("ended in time; it said: %s", child.output()).isTrue();
          assertThat(child.exitValue()).as(child.output()).isZero();
          assertThat(child.output()).contains(ReadOnlyChild.DONE);
        }
        assertThatThrownBy(() -> ReadOnlyChild.source(data).open())
            .isInstanceOf(RiverException.class);
        device.restore();
        shouldHaveLostNothing(data);
      }
    }
  }

  private static void shouldHaveLostNothing(Path data) {
    try (MessageQueue<String> audit = ReadOnlyChild.target(data).open();
        MessageQueue<String> orders = ReadOnlyChild.source(data).open()) {
      for (long sequence = 0; sequence < ReadOnlyChild.MESSAGES; sequence++) {
        assertThat(orders.read(sequence).map(Delivery::data)).contains("m" + sequence);
      }
      assertThat(orders.subscriber(ReadOnlyChild.BILLING).stats().ackFloor())
          .isGreaterThanOrEqualTo(ReadOnlyChild.ACKED);
      assertThat(orders.publisher().publish("goes on"))
          .isGreaterThanOrEqualTo(ReadOnlyChild.MESSAGES);
      assertThat(orders.stats().lost()).isZero();
      assertThat(audit.stats().lost()).isZero();
    }
  }
}
