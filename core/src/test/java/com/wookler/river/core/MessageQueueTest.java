package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessageQueueTest {
  @TempDir Path directory;

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  @Test
  void shouldDeliverWhatWasPublishedInOrder() {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 1_000; i++) {
        assertThat(queue.publisher().publish("message " + i)).isEqualTo(i);
      }
      for (int i = 0; i < 1_000; i++) {
        Delivery<String> delivery = audit.next();
        assertThat(delivery).isNotNull();
        assertThat(delivery.sequence()).isEqualTo(i);
        assertThat(delivery.data()).isEqualTo("message " + i);
        assertThat(delivery.attempt()).isEqualTo(1);
      }
      assertThat(audit.next()).isNull();
    }
  }

  @Test
  void shouldKeepKeysHeadersAndPublishTime() {
    try (MessageQueue<String> queue = builder().open()) {
      queue
          .publisher()
          .publish(
              Message.of("data")
                  .withKey("key")
                  .withHeader("trace", "a1".getBytes(StandardCharsets.UTF_8))
                  .withHeader("empty", new byte[0]));
      Delivery<String> delivery = queue.subscriber("audit").next();
      assertThat(delivery).isNotNull();
      assertThat(delivery.key()).isEqualTo("key");
      assertThat(delivery.headers()).containsOnlyKeys("trace", "empty");
      assertThat(delivery.headers().get("trace")).isEqualTo("a1".getBytes(StandardCharsets.UTF_8));
      assertThat(delivery.publishedAt()).isNotNull();
      assertThat(delivery.data()).isEqualTo("data");
    }
  }

  @Test
  void shouldGiveBatchesConsecutiveSequences() throws InterruptedException {
    try (MessageQueue<String> queue = builder().open()) {
      assertThat(queue.publisher().publish("one")).isZero();
      List<String> batch = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        batch.add("b" + i);
      }
      assertThat(queue.publisher().publishAll(batch)).isEqualTo(1);
      assertThat(queue.publisher().publish("last")).isEqualTo(501);
      Subscriber<String> audit = queue.subscriber("audit");
      List<Delivery<String>> all = audit.batch(1_000, Duration.ZERO);
      assertThat(all).hasSize(502);
      assertThat(all.get(500).data()).isEqualTo("b499");
      assertThat(all.get(501).data()).isEqualTo("last");
    }
  }

  @Test
  void shouldLoseNothingOfAListThatPublishesItself() throws InterruptedException {
    try (MessageQueue<String> queue = builder().open()) {
      List<String> asked = new ArrayList<>();
      queue
          .publisher()
          .putAll(
              computed(
                  i -> {
                    asked.add("inner " + i);
                    queue.publisher().publish("inner " + i);
                    return Message.of("outer " + i).withKey("key " + i);
                  }),
              Durability.MEMORY);
      queue
          .publisher()
          .publishAll(
              computed(
                  i -> {
                    queue.publisher().publish("more " + i);
                    return "last " + i;
                  }));
      assertThat(asked).containsExactly("inner 0", "inner 1", "inner 2");
      assertThat(queue.subscriber("audit").batch(100, Duration.ZERO))
          .extracting(Delivery::data)
          .containsExactly(
              "inner 0", "inner 1", "inner 2", "outer 0", "outer 1", "outer 2", "more 0", "more 1",
              "more 2", "last 0", "last 1", "last 2");
    }
  }

  private static <T> List<T> computed(IntFunction<T> element) {
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        return element.apply(index);
      }

      @Override
      public int size() {
        return 3;
      }
    };
  }

  @Test
  void shouldSayWhenAMessageOrWhatItsConverterGivesIsNull() {
    MessageConverter<String> converter =
        new MessageConverter<>() {
          @Override
          @SuppressWarnings("NullAway") // as a user's may be
          public byte[] toBytes(String data) {
            return null;
          }

          @Override
          public String fromBytes(byte[] bytes) {
            return "";
          }
        };
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", converter).directory(directory).open()) {
      Publisher<String> publisher = queue.publisher();
      assertThatThrownBy(() -> publisher.publish("data"))
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("orders")
          .hasMessageContaining("converter");
      List<String> holes = new ArrayList<>();
      holes.add(null);
      assertThatThrownBy(() -> publisher.publishAll(holes))
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("orders")
          .hasMessageContaining("message is null");
      List<Message<String>> messages = new ArrayList<>();
      messages.add(null);
      assertThatThrownBy(() -> publisher.putAll(messages, Durability.MEMORY))
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("message is null");
      assertThat(queue.stats().nextSequence()).isZero();
    }
  }

  @Test
  void shouldNameSettingsThatAreNull() {
    MessageQueue.Builder<String> builder = builder();
    assertThatThrownBy(() -> builder.backup(directory, null)).hasMessage("retention");
    assertThatThrownBy(() -> builder.backup(null, Duration.ZERO)).hasMessage("base");
    assertThatThrownBy(() -> builder.syncInterval(null)).hasMessage("interval");
    assertThatThrownBy(() -> builder.discardedRetention(null)).hasMessage("retention");
    assertThatThrownBy(() -> builder.ehcache(null)).hasMessage("file");
    assertThatThrownBy(() -> builder.subscriber(null)).hasMessage("subscriber");
    assertThatThrownBy(() -> builder.durability(null)).hasMessage("level");
    try (MessageQueue<String> queue = builder().open()) {
      assertThatThrownBy(() -> queue.subscriber("audit").seek(null)).hasMessage("position");
    }
  }

  @Test
  void shouldGoOnWhereItStoodAfterReopening() {
    try (MessageQueue<String> queue = builder().open()) {
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("m" + i);
      }
      Subscriber<String> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 10; i++) {
        billing.ack(billing.next());
        audit.next();
      }
      billing.next();
    }
    try (MessageQueue<String> queue = builder().open()) {
      assertThat(queue.publisher().publish("m100")).isEqualTo(100);
      Subscriber<String> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      Delivery<String> again = billing.next();
      assertThat(again.sequence()).isEqualTo(10);
      assertThat(again.attempt()).isEqualTo(2);
      assertThat(billing.next().attempt()).isEqualTo(1);
      assertThat(queue.subscriber("audit").next().sequence()).isEqualTo(10);
    }
  }

  @Test
  void shouldTakeMessagesOfNoBytesAndOfTheLargestSize() {
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("bytes", MessageConverter.bytes())
            .directory(directory)
            .maxMessageBytes(64 << 20)
            .open()) {
      Subscriber<byte[]> audit = queue.subscriber("audit");
      byte[] large = new byte[64 << 20];
      large[large.length - 1] = 42;
      queue.publisher().publish(new byte[0]);
      queue.publisher().publish(large);
      queue.publisher().publish(new byte[] {1});
      assertThat(audit.next().data()).isEmpty();
      assertThat(audit.next().data()).isEqualTo(large);
      assertThat(audit.next().data()).containsExactly(1);
      assertThatThrownBy(() -> queue.publisher().publish(new byte[(64 << 20) + 1]))
          .isInstanceOf(MessageTooLargeException.class)
          .hasMessageContaining("queue.max.message.bytes");
      assertThat(queue.stats().nextSequence()).isEqualTo(3);
    }
  }

  @Test
  void shouldRefuseCallsAfterClose() {
    MessageQueue<String> queue = builder().open();
    Publisher<String> publisher = queue.publisher();
    Subscriber<String> audit = queue.subscriber("audit");
    queue.close();
    queue.close();
    assertThatThrownBy(() -> publisher.publish("x")).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(audit::next).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(queue::stats).isInstanceOf(QueueClosedException.class);
    assertThat(queue.state()).isEqualTo(QueueState.STOPPED);
  }

  @Test
  void shouldDeliverNewMessagesWhenTheLogHasLostItsEnd() throws IOException {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> billing =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish("old " + i);
        billing.ack(billing.next());
        audit.next();
      }
    }
    DataDirectory.deleteTree(directory.resolve("orders/log"));
    try (MessageQueue<String> queue = builder().open()) {
      for (int i = 0; i < 10; i++) {
        queue.publisher().publish("new " + i);
      }
      for (String name : List.of("billing", "audit")) {
        Subscriber<String> subscriber = queue.subscriber(name);
        for (int i = 0; i < 10; i++) {
          assertThat(subscriber.next().data()).isEqualTo("new " + i);
        }
        assertThat(subscriber.next()).isNull();
      }
    }
  }

  @Test
  void shouldKeepASubscriberWhoseSettingsAreDamaged() throws IOException {
    Path settings = directory.resolve("orders/subscribers/billing/subscriber.json");
    for (String damage : List.of("{", "")) {
      try (MessageQueue<String> queue = builder().open()) {
        Subscriber<String> billing =
            queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
        queue.publisher().publish("one");
        queue.publisher().publish("two");
        billing.ack(billing.next());
      }
      if (damage.isEmpty()) {
        Files.delete(settings);
      } else {
        Files.writeString(settings, damage);
      }
      try (MessageQueue<String> queue = builder().open()) {
        Subscriber<String> billing = queue.subscriber("billing");
        assertThat(billing.config().ackRequired()).isTrue();
        assertThat(billing.next().data()).isEqualTo("two");
        billing.purge();
      }
    }
  }

  @Test
  void shouldRemoveASubscriberThatCannotBeCleared() throws IOException {
    Path subscribers = directory.resolve("orders/subscribers");
    try (MessageQueue<String> queue = builder().open()) {
      queue.subscriber("audit");
      try (Undeletable stays = Undeletable.in(subscribers.resolve("audit"), directory)) {
        stays.movedTo(subscribers.resolve("audit~removed"));
        assertThat(queue.subscriberNames()).contains("audit");
        assertThat(queue.removeSubscriber("audit")).isTrue();
        assertThat(queue.subscriberNames()).doesNotContain("audit");
        assertThat(queue.removeSubscriber("audit")).isFalse();
      }
      queue.subscriber("audit");
      assertThat(subscribers.resolve("audit~removed")).isNotEmptyDirectory();
      assertThat(queue.removeSubscriber("audit")).isTrue();
      assertThat(subscribers.resolve("audit~removed")).doesNotExist();
    }
  }

  @Test
  void shouldRemoveASubscriberForGood() {
    try (MessageQueue<String> queue = builder().open()) {
      queue.publisher().publish("one");
      queue.subscriber("audit").next();
      assertThat(queue.removeSubscriber("audit")).isTrue();
      assertThat(queue.removeSubscriber("audit")).isFalse();
      assertThat(directory.resolve("orders/subscribers")).isEmptyDirectory();
      assertThat(queue.subscriber("audit").next().data()).isEqualTo("one");
    }
  }
}
