package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.RecordingExtension.Recording;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parts of a queue that an extension brings. */
@Timeout(60)
class QueuePartsTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time);
  }

  private static Recording part(MessageQueue<?> queue) {
    return queue.part(Recording.class).orElseThrow();
  }

  private static void publish(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  @Test
  void shouldStartAPartWithTheQueueAndCloseItBeforeTheLog() {
    MessageQueue<String> queue = builder().open();
    Recording part = part(queue);
    assertThat(part.calls).containsExactly("open", "start");
    assertThat(queue.part(String.class)).isEmpty();
    publish(queue, 3);
    queue.close();
    assertThat(part.calls).containsExactly("open", "start", "stop", "close at 3");
  }

  @Test
  void shouldKeepTheBlocksThatAPartNeedsAndHaveItCloseThoseThatGo() {
    try (MessageQueue<String> queue = builder().open()) {
      Recording part = part(queue);
      part.needed = 10;
      Subscriber<String> reader = queue.subscriber("reader");
      publish(queue, 35);
      while (reader.next() != null) {
        // all of them
      }
      await().until(() -> queue.stats().firstSequence() == 10);
      await().during(Duration.ofMillis(300)).until(() -> queue.stats().firstSequence() == 10);
      assertThat(part.calls).contains("leave 1").doesNotContain("leave 2");
      part.needed = 30;
      await().until(() -> queue.stats().firstSequence() == 30);
      assertThat(part.calls).contains("leave 2", "leave 3");
    }
  }

  @Test
  void shouldHaveAPartGiveUpWhatTheLogLoses() {
    MessageQueue.Builder<String> limited =
        builder().maxMessages(10).whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO);
    try (MessageQueue<String> queue = limited.open()) {
      Recording part = part(queue);
      part.needed = 0;
      publish(queue, 40);
      await().until(() -> part.calls.contains("discard 30"));
      assertThat(queue.stats().discarded()).isEqualTo(30);
    }
  }

  @Test
  void shouldGiveWhatExpiresToAPartAndForceThatBeforeTheLedger() throws InterruptedException {
    try (MessageQueue<String> queue = builder().open()) {
      Recording part = part(queue);
      Subscriber<String> expiring =
          queue.subscriber(
              SubscriberConfig.builder("expiring").ack(true).expiryQueue("late").build());
      queue.publisher().publish(Message.of("short").expiresAfter(Duration.ofSeconds(1)));
      time.advance(Duration.ofSeconds(1));
      assertThat(expiring.batch(1, Duration.ZERO)).isEmpty();
      queue.force();
      assertThat(part.calls).containsSubsequence("keep 0 of expiring", "force expiring");
    }
  }

  @Test
  void shouldRefuseAQueueThatHasForwardedWithoutTheModule() throws Exception {
    Path positions = directory.resolve("orders/forwards");
    try (MessageQueue<String> queue = builder().open()) {
      QueueExtension.Context context = part(queue).queue;
      assertThat(new QueueParts(context, List.of(), close -> {}).havePassed(7)).isTrue();
      Files.writeString(Files.createDirectory(positions).resolve("audit.json"), "{}");
      assertThatThrownBy(() -> new QueueParts(context, List.of(), close -> {}))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("orders")
          .hasMessageContaining(positions.toString())
          .hasMessageContaining("river-forward");
    }
  }
}
