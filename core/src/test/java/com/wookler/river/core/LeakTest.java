package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts what the process holds, as Linux shows it. */
class LeakTest {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path MAPPINGS = Path.of("/proc/self/maps");
  private static final int WARM_UP = 15;
  private static final int CYCLES = Integer.getInteger("river.close.cycles", 80);

  /** What the JVM itself may map more while the test runs: code, arenas, metaspace. */
  private static final int MAPPINGS_OF_THE_JVM = 40;

  private static final int DESCRIPTORS_OF_THE_JVM = 5;

  @TempDir Path directory;

  /** What the process holds at one moment. */
  private record Held(int descriptors, int mappings, Set<String> threads) {}

  @BeforeEach
  void needsProc() {
    assumeTrue(
        Files.isDirectory(DESCRIPTORS) && Files.isReadable(MAPPINGS),
        "descriptors and mappings are counted in /proc/self, which is not here");
  }

  @Tag("full")
  @Test
  void shouldHoldNothingAfterManyCyclesOfOpenAndClose() throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      cycle(i);
    }
    awaitNothingOfTheQueue();
    Held before = held();
    for (int i = 0; i < CYCLES; i++) {
      cycle(i);
    }
    awaitNothingOfTheQueue();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              Held after = held();
              assertThat(after.threads).isSubsetOf(before.threads);
              assertThat(after.descriptors)
                  .isLessThanOrEqualTo(before.descriptors + DESCRIPTORS_OF_THE_JVM);
              assertThat(after.mappings).isLessThanOrEqualTo(before.mappings + MAPPINGS_OF_THE_JVM);
            });
  }

  @Test
  void shouldHoldNothingAfterFailedOpens() throws Exception {
    MessageQueue<String> owner = open("owned");
    owner.publisher().publish("m");
    owner.force(); // its descriptor is open from now on
    Held before = held();
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> open("owned")).isInstanceOf(QueueLockedException.class);
    }
    assertThat(held().descriptors).isLessThanOrEqualTo(before.descriptors);
    assertThat(held().threads).isSubsetOf(before.threads);
    owner.close();
    Path broken = directory.resolve("broken");
    Files.createDirectories(broken);
    Files.writeString(broken.resolve("queue.json"), "{\"format\":1,\"id\":\"none\"}");
    open("newer").close();
    Path newer = directory.resolve("newer").resolve("subscribers").resolve("s");
    Files.createDirectories(newer);
    CheckedJson.write(newer.resolve("subscriber.json"), CheckedJson.object(1).put("format", 99));
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> open("broken")).hasMessageContaining("damaged");
      assertThatThrownBy(() -> open("newer")).hasMessageContaining("format version 99");
    }
    awaitNothingOfTheQueue();
  }

  private MessageQueue<String> open(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10)
        .recycle(SizeBasedRecycle.ofMessages(20))
        .keyIndex(true)
        .backup(directory.resolve("backup"), Duration.ofMillis(1))
        .open();
  }

  private void cycle(int number) throws InterruptedException {
    MessageQueue<String> queue = open("leak");
    Subscriber<String> billing =
        queue.subscriber(
            SubscriberConfig.builder("billing").ack(true).ackTimeout(Duration.ofMillis(1)).build());
    Subscriber<String> audit = queue.subscriber("audit");
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      queue.publisher().publish("m" + i);
      batch.add("b" + i);
    }
    queue.publisher().publishAll(batch);
    queue.publisher().publish(Message.of("soon").deliverAfter(Duration.ofMillis(1)));
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofHours(1)));
    audit.batch(50, Duration.ZERO);
    for (Delivery<String> delivery : billing.batch(40, Duration.ZERO)) {
      if (delivery.sequence() % 3 > 0) {
        delivery.ack();
      }
    }
    billing.batch(40, Duration.ofMillis(5)); // some of them again
    queue.read(queue.stats().nextSequence() - 1);
    queue.latest("none");
    queue.sequenceAt(Instant.EPOCH);
    if (number % 10 == 3) {
      assertThatThrownBy(() -> open("leak")).isInstanceOf(QueueLockedException.class);
    }
    if (number % 10 == 5) {
      queue.removeSubscriber("audit");
    }
    if (number % 10 == 7) {
      audit.close();
    }
    if (number % 10 == 9) {
      queue.delete();
    } else {
      queue.close();
    }
  }

  private void awaitNothingOfTheQueue() {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              assertThat(descriptors().filter(this::isOurs)).isEmpty();
              assertThat(Files.readAllLines(MAPPINGS).stream().filter(this::isOurs)).isEmpty();
              assertThat(riverThreads()).isEmpty();
            });
  }

  private boolean isOurs(String held) {
    return held.contains(directory.toString());
  }

  private static Held held() throws IOException {
    try (Stream<String> open = descriptors()) {
      Set<String> threads =
          Thread.getAllStackTraces().keySet().stream()
              .map(Thread::getName)
              .filter(name -> !name.startsWith("awaitility"))
              .collect(Collectors.toCollection(TreeSet::new));
      return new Held((int) open.count(), Files.readAllLines(MAPPINGS).size(), threads);
    }
  }

  private static Stream<String> descriptors() throws IOException {
    try (Stream<Path> open = Files.list(DESCRIPTORS)) {
      return open.map(LeakTest::target).toList().stream();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }

  private static List<String> riverThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("RIVER-"))
        .toList();
  }
}
