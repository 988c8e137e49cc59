package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishInterceptorTest {
  private static final byte[] TRACE = "00-1".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  @Test
  void shouldChangeEachMessageByWhateverMethodItIsPublished() {
    try (MessageQueue<String> queue =
        builder()
            .deduplicate(Duration.ofHours(1))
            .interceptor((name, message) -> message.withHeader("trace", TRACE))
            .interceptor(
                (name, message) ->
                    message.withHeader("queue", name.getBytes(StandardCharsets.UTF_8)))
            .open()) {
      Publisher<String> publisher = queue.publisher();
      publisher.publish("a");
      publisher.publish(Message.of("b"));
      publisher.publish(Message.of("c").withId("c"));
      publisher.publishAll(List.of("d", "e"));
      publisher.put(Message.of("f"), Durability.MEMORY);
      publisher.putAll(List.of(Message.of("g")), Durability.MEMORY);
      publisher.putAsync(List.of(Message.of("h")), Durability.DISK).join();
      queue.putFrom(Origin.of("source"), 1, Message.of("i"), Durability.MEMORY);

      List<Delivery<String>> all = queue.read(0, 100);
      assertThat(all.stream().map(Delivery::data)).containsExactly("a b c d e f g h i".split(" "));
      assertThat(all)
          .allSatisfy(
              one -> {
                assertThat(one.headers().get("trace")).isEqualTo(TRACE);
                assertThat(one.headers().get("queue")).asString().isEqualTo("orders");
              });
    }
  }

  @Test
  void shouldGiveIdsThatCount() {
    try (MessageQueue<String> queue =
        builder()
            .deduplicate(Duration.ofHours(1))
            .interceptor((name, message) -> message.withId(message.data()))
            .open()) {
      assertThat(queue.publisher().publish("a")).isZero();
      assertThat(queue.publisher().publish("a")).isZero();
      assertThat(queue.stats().messages()).isOne();
    }
  }

  @Test
  void shouldStoreNothingWhereItThrows() {
    try (MessageQueue<String> queue =
        builder()
            .interceptor(
                (name, message) -> {
                  throw new IllegalStateException("no");
                })
            .open()) {
      assertThatThrownBy(() -> queue.publisher().publish("a"))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> queue.publisher().publishAll(List.of("a")))
          .isInstanceOf(IllegalStateException.class);
      assertThat(queue.stats().messages()).isZero();
    }
  }

  /** Named in XML. */
  public static final class Marker implements PublishInterceptor<String> {
    @Override
    public Message<String> intercept(String queue, Message<String> message) {
      return message.withKey("marked");
    }
  }
}
