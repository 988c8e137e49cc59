package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of the module river-forward, which these tests run without. */
class MissingForwardTest {
  @TempDir Path directory;

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  @Test
  void shouldSayWhichModuleAnOptionNeeds() {
    assertThatThrownBy(() -> builder().forwardTo("audit").open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.forward needs the module river-forward");
    assertThatThrownBy(() -> builder().maxAge(Duration.ofDays(1), "late").open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.expiry.queue needs the module river-forward");
    try (MessageQueue<String> queue = builder().open()) {
      SubscriberConfig late = SubscriberConfig.builder("billing").expiryQueue("late").build();
      assertThatThrownBy(() -> queue.subscriber(late))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("subscriber.expiry.queue of billing needs the module");
    }
  }
}
