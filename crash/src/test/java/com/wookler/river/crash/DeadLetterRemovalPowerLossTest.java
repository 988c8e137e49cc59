package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Cuts the power as soon as a dead letter is dropped; it does not come back. */
@Tag("full")
class DeadLetterRemovalPowerLossTest {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldHaveDroppedALetterForGoodWhenThePowerFails() throws Exception {
    LoopDevice.assume("ext4");
    try (LoopDevice device = LoopDevice.make("ext4", root)) {
      Path directory = device.mount().resolve("queues");
      Path dropped = root.resolve("dropped");
      try (ChildProcess child =
          ChildProcess.start(
              DeadLetterRemovalChild.class,
              root.resolve("child"),
              ChildProcess.Launch.PLAIN,
              directory.toString(),
              dropped.toString())) {
        Waiting.file(dropped, child);
        device.cut();
        child.kill();
      }
      device.restore();
      try (MessageQueue<String> orders = DeadLetterRemovalChild.open(directory)) {
        assertThat(DeadLetterMovesChild.billing(orders).deadLetters().peek(9))
            .extracting(Delivery::data)
            .containsExactly("0", "2");
      }
    }
  }
}
