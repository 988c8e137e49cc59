package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a queue that nobody uses at the moment holds of the system. */
class IdleQueueTest {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  @TempDir Path directory;

  @BeforeEach
  void descriptorsCanBeListed() {
    assumeThat(DESCRIPTORS).as("a list of this process's descriptors").isDirectory();
  }

  @Test
  void shouldHoldTwoDescriptorsWhateverItsSubscribers() throws InterruptedException {
    try (MessageQueue<String> queue = queue()) {
      use(queue);
      await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
    }
    try (MessageQueue<String> queue = queue()) {
      subscribe(queue);
      await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
      use(queue);
      await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
    }
    assertThat(descriptors()).isEmpty();
  }

  private MessageQueue<String> queue() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(50))
        .backup(directory.resolve("backup"), Duration.ofDays(1))
        .open();
  }

  private static List<Subscriber<String>> subscribe(MessageQueue<String> queue) {
    return List.of(
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build()),
        queue.subscriber(SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build()),
        queue.subscriber("audit"));
  }

  private static void use(MessageQueue<String> queue) throws InterruptedException {
    List<Subscriber<String>> subscribers = subscribe(queue);
    for (int i = 0; i < 180; i++) {
      queue.publisher().publish(Message.of("message " + i).withKey("key " + i));
    }
    for (Subscriber<String> subscriber : subscribers) {
      for (List<Delivery<String>> batch = subscriber.batch(64, Duration.ZERO);
          !batch.isEmpty();
          batch = subscriber.batch(64, Duration.ZERO)) {
        subscriber.ack(batch);
      }
    }
  }

  private List<String> descriptors() {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.map(IdleQueueTest::target)
          .filter(target -> target.startsWith(directory.toString()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile, as the one that lists them
    }
  }
}
