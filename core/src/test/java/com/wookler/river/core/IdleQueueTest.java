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

  @Test
  void shouldHoldTwoDescriptorsWhateverItsFeatures() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      try (MessageQueue<String> queue = queueWithAll()) {
        await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
        useAll(queue, i);
        use(queue); // to the end of the log, into the block that is open anyway
        await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
      }
    }
    assertThat(directory.resolve("orders/ids")).isNotEmptyDirectory();
    assertThat(directory.resolve("orders/keys")).isNotEmptyDirectory();
    assertThat(directory.resolve("orders/delayed/due-000000000001")).isNotEmptyFile();
    assertThat(descriptors()).isEmpty();
  }

  /** A look-up may keep a few blocks mapped, but no block that has left the log. */
  @Test
  void shouldMapFewBlocksHoweverManyWereLookedUp() throws IOException {
    try (MessageQueue<String> queue = builder().recycle(SizeBasedRecycle.ofMessages(1)).open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 40; i++) {
        queue.publisher().publish("message " + i);
      }
      for (int i = 0; i < 40; i++) {
        assertThat(queue.read(i).orElseThrow().data()).isEqualTo("message " + i);
        assertThat(queue.read(39 - i).orElseThrow().data()).isEqualTo("message " + (39 - i));
      }
      await().untilAsserted(() -> assertThat(descriptors()).hasSizeLessThanOrEqualTo(2));
      assertThat(mappedBlocks()).hasSizeLessThanOrEqualTo(20);
      for (int i = 0; i < 20; i++) {
        assertThat(audit.next()).isNotNull();
        assertThat(queue.read(i).orElseThrow().data()).isEqualTo("message " + i);
      }
      await().until(() -> queue.stats().firstSequence() == 20);
      await().untilAsserted(() -> assertThat(mappedBlocks()).noneMatch(IdleQueueTest::isDeleted));
    }
    assertThat(mappedBlocks()).isEmpty();
  }

  private static boolean isDeleted(String mapping) {
    return mapping.endsWith("(deleted)");
  }

  private List<String> mappedBlocks() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains(directory.toString()) && line.contains(".cq4"))
        .toList();
  }

  private MessageQueue<String> queue() {
    return builder().open();
  }

  private MessageQueue<String> queueWithAll() {
    return builder().deduplicate(Duration.ofHours(1)).keyIndex(true).open();
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(50))
        .backup(directory.resolve("backup"), Duration.ofDays(1));
  }

  /** Ids that are new and that are known, delays that end and that do not, and old messages. */
  private static void useAll(MessageQueue<String> queue, int run) {
    for (int i = 0; i < 20; i++) {
      Message<String> message = Message.of("message " + i).withKey("key " + i);
      queue.publisher().publish(message.withId("id " + run + " " + i));
      queue.publisher().publish(message.withId("id 0 " + i));
      queue.publisher().publish(message.deliverAfter(Duration.ofHours(1)));
    }
    long due = queue.publisher().publish(Message.of("due").deliverAfter(Duration.ofMillis(1)));
    queue.force();
    await().until(() -> queue.stats().nextSequence() > due + 1);
    assertThat(queue.latest("key 7")).isPresent();
    assertThat(queue.latest("key 177").isPresent()).isEqualTo(run > 0);
    assertThat(queue.latest("no such key")).isEmpty();
    assertThat(queue.read(0)).isNotNull();
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
