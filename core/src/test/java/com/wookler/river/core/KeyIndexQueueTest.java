package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.keys.KeySource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code MessageQueue.latest}. */
@Timeout(120)
class KeyIndexQueueTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .maxMessageBytes(16 << 10)
        .blockBytes(256 << 10)
        .keyIndex(true)
        .timeSource(time);
  }

  private void open() {
    queue = builder(directory.resolve("data")).open();
  }

  private long publish(String key, String data) {
    return queue.publisher().publish(Message.of(data).withKey(key));
  }

  private Optional<Long> latest(String key) {
    return queue
        .latest(key)
        .map(
            found -> {
              assertThat(found.key()).isEqualTo(key);
              return found.sequence();
            });
  }

  @Test
  void shouldFindTheLastMessageOfAKeyAtOnce() {
    open();
    assertThat(latest("a")).isEmpty();
    queue.publisher().publish("without");
    publish("a", "1");
    publish("b", "2");
    publish("a", "3");
    Delivery<String> found = queue.latest("a").orElseThrow();
    assertThat(found.sequence()).isEqualTo(3);
    assertThat(found.data()).isEqualTo("3");
    assertThat(found.attempt()).isZero();
    List<Message<String>> batch =
        List.of(
            Message.of("x").withKey("a"),
            Message.of("y").withKey("b"),
            Message.of("z").withKey("a"));
    queue.publisher().putAll(batch, Durability.MEMORY);
    assertThat(queue.latest("a").orElseThrow().data()).isEqualTo("z");
    assertThat(latest("b")).hasValue(5L);
    assertThat(latest("none")).isEmpty();
    Thread.currentThread().interrupt();
    assertThat(latest("b")).hasValue(5L);
    assertThat(Thread.interrupted()).isTrue();
    queue.close();
    assertThatThrownBy(() -> queue.latest("a")).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldGiveADelayedMessageOnlyWhenItIsDue() {
    open();
    publish("a", "now");
    queue.publisher().publish(Message.of("later").withKey("a").deliverAfter(Duration.ofMinutes(1)));
    assertThat(queue.latest("a").orElseThrow().data()).isEqualTo("now");
    time.advance(Duration.ofMinutes(1));
    await().until(() -> queue.latest("a").orElseThrow().data().equals("later"));
    assertThat(latest("a")).hasValue(1L);
  }

  private List<String> ofKey(String key, long from, int max) {
    return queue.read(key, from, max).stream()
        .map(message -> new String(message.data(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void shouldReadTheMessagesOfAKeyOutOfLogAndBackup() {
    queue =
        builder(directory.resolve("data"))
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .open();
    Subscriber<String> audit = queue.subscriber("audit");
    for (int i = 0; i < 45; i++) {
      publish("k" + i % 4, "m" + i);
      audit.next();
    }
    queue
        .publisher()
        .publish(Message.of("later").withKey("k1").deliverAfter(Duration.ofMinutes(1)));
    await().until(() -> queue.stats().firstSequence() == 40);
    assertThat(ofKey("k1", 0, 100))
        .containsExactly("m1", "m5", "m9", "m13", "m17", "m21", "m25", "m29", "m33", "m37", "m41");
    assertThat(ofKey("k1", 6, 2)).containsExactly("m9", "m13");
    assertThat(queue.read("k1", 6, 2).get(1).sequence()).isEqualTo(13);
    assertThat(ofKey("k1", 42, 9)).isEmpty();
    assertThat(ofKey("k1", -5, 1)).containsExactly("m1");
    assertThat(ofKey("none", 0, 9)).isEmpty();
    time.advance(Duration.ofMinutes(1));
    await().until(() -> ofKey("k1", 42, 9).equals(List.of("later")));
    queue.delete(13, 42);
    assertThat(ofKey("k1", 6, 2)).containsExactly("m9", "later");
    queue.close();
    open();
    assertThat(ofKey("k0", 0, 9)).containsExactly("m44"); // without the backup
    assertThatThrownBy(() -> queue.read("k0", 0, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldRefuseToAnswerWithoutAnIndex() {
    queue = builder(directory).keyIndex(false).open();
    assertThatThrownBy(() -> queue.latest("a"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.index.keys");
    assertThatThrownBy(() -> queue.read("a", 0, 1)).isInstanceOf(ConfigurationException.class);
    assertThat(directory.resolve("orders/keys")).doesNotExist();
  }

  @Test
  void shouldTakeInWhatIsThereAndGoOnAfterItWasOff() {
    queue = builder(directory.resolve("data")).keyIndex(false).open();
    publish("a", "1");
    queue.close();
    open();
    assertThat(latest("a")).hasValue(0L);
    queue.close();
    queue = builder(directory.resolve("data")).keyIndex(false).open();
    publish("a", "2");
    publish("b", "3");
    queue.close();
    open();
    assertThat(latest("a")).hasValue(1L);
    assertThat(latest("b")).hasValue(2L);
  }

  @Test
  void shouldForgetWhatLeftTheLogWithoutABackup() throws IOException {
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    for (int i = 0; i < 35; i++) {
      publish("key " + i, "m" + i);
      audit.next();
    }
    await().until(() -> queue.stats().firstSequence() == 30);
    assertThat(latest("key 29")).isEmpty();
    assertThat(latest("key 30")).hasValue(30L);
    queue.close();
    open();
    assertThat(latest("key 29")).isEmpty();
    assertThat(latest("key 34")).hasValue(34L);
  }

  @Test
  void shouldFindItInABackupAlsoWhenTheFilesAreLost() throws IOException {
    for (boolean lost : new boolean[] {false, true}) {
      queue =
          builder(directory.resolve("data"))
              .backup(directory.resolve("backup"), Duration.ofDays(3))
              .open();
      if (!lost) {
        Subscriber<String> audit = queue.subscriber("audit");
        for (int i = 0; i < 35; i++) {
          publish("key " + i, "m" + i);
          audit.next();
        }
        await().until(() -> queue.stats().firstSequence() == 30);
      }
      for (int i = 0; i < 35; i++) {
        assertThat(latest("key " + i)).hasValue((long) i);
        assertThat(queue.latest("key " + i).orElseThrow().data()).isEqualTo("m" + i);
      }
      queue.close();
      DataDirectory.deleteTree(directory.resolve("data/orders/keys"));
    }
    time.advance(Duration.ofDays(4));
    queue =
        builder(directory.resolve("data"))
            .backup(directory.resolve("backup"), Duration.ofDays(3))
            .open();
    await().until(() -> queue.stats().backups() == 0);
    assertThat(latest("key 29")).isEmpty();
    assertThat(latest("key 34")).hasValue(34L);
  }

  @Test
  void shouldGiveAnExpiredMessageToo() {
    open();
    queue.publisher().publish(Message.of("x").withKey("a").expiresAfter(Duration.ofSeconds(1)));
    time.advance(Duration.ofSeconds(2));
    assertThat(latest("a")).hasValue(0L);
  }

  @Test
  void shouldFindAnOlderOneWhenTheLastIsLost() throws IOException {
    open();
    for (int i = 0; i < 25; i++) {
      publish("key " + i % 5, "m" + i);
    }
    assertThat(latest("key 1")).hasValue(21L);
    queue.close();
    Files.delete(directory.resolve("data/orders/log/b00000003.cq4"));
    open();
    assertThat(queue.read(21)).isEmpty();
    assertThat(latest("key 1")).hasValue(16L);
    assertThat(latest("key 4")).hasValue(19L);
  }

  @Test
  void shouldNotBeHiddenByAKeyWithTheSameHash() {
    MessageQueue.Builder<String> settings =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
    RunningQueue<String> running =
        new RunningQueue<>(settings.config(), new Listeners(), true, () -> {});
    try {
      for (int i = 0; i < 10_000; i++) {
        running.publisher().publish(Message.of("m" + i).withKey("key " + i));
      }
      try (LoggedKeys source = new LoggedKeys("orders", running.log(), null)) {
        KeySearch search = new KeySearch(source, running.lookup());
        for (long hidden : new long[] {0, 1, 1_807, 5_000, 9_998}) {
          assertThat(search.latest("key " + hidden, 9_999).orElseThrow().sequence())
              .isEqualTo(hidden);
        }
        assertThat(search.latest("none", 9_999)).isEmpty();
        assertThat(search.latest("key 9999", 9_998)).isEmpty();
      }
      shouldSearchOnceOnly(running);
    } finally {
      running.close(false);
    }
  }

  private static void shouldSearchOnceOnly(RunningQueue<String> running) {
    int[] reads = {0};
    try (LoggedKeys logged = new LoggedKeys("orders", running.log(), null)) {
      KeySource source =
          new KeySource() {
            @Override
            public long end() {
              return logged.end();
            }

            @Override
            public long first() {
              return logged.first();
            }

            @Override
            public long read(long from, long to, Sink sink) {
              reads[0]++;
              return logged.read(from, to, sink);
            }

            @Override
            public void force(long end) {
              logged.force(end);
            }
          };
      KeySearch search = new KeySearch(source, running.lookup());
      for (int i = 0; i < 3; i++) {
        assertThat(search.latest("none", 9_999)).isEmpty();
        assertThat(search.latest("key 5000", 9_999).orElseThrow().sequence()).isEqualTo(5_000);
        if (i == 0) {
          assertThat(reads[0]).isPositive();
          reads[0] = 0;
        }
      }
      assertThat(reads[0]).isZero();
      assertThat(search.latest("key 9997", 9_998).orElseThrow().sequence()).isEqualTo(9_997);
      assertThat(search.latest("none", 9_998)).isEmpty();
      assertThat(reads[0]).isPositive(); // there is another with its hash
    }
  }

  /** Publishes, batches, reads on, asks, restarts, kills; the answers are those of a map. */
  @Tag("full")
  @Test
  void shouldAgreeWithAMapThroughRestartsAndKills() throws IOException {
    Random random = new Random(7);
    Map<String, Long> model = new HashMap<>();
    Path data = directory.resolve("data");
    open();
    for (int step = 0; step < 200; step++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3, 4 -> publish(random, model);
        case 5 -> queue.subscriber("audit").next();
        case 6 -> {
          if (random.nextInt(4) == 0) {
            queue.close();
            queue = builder(data).open();
          }
        }
        case 7 -> {
          if (random.nextInt(4) == 0) {
            queue.force(); // so that no file of the log comes or goes while they are copied
            Path copy = copied(data, directory.resolve("killed " + step));
            queue.close();
            DirectoryCopy.delete(data);
            data = copy;
            queue = builder(data).open();
          }
        }
        default -> {
          String key = "key " + random.nextInt(30);
          Long expected = model.get(key);
          Optional<Long> found = latest(key);
          if (expected != null && expected >= queue.stats().firstSequence()) {
            assertThat(found).as(key).hasValue(expected);
          }
        }
      }
    }
    assertThat(model).isNotEmpty();
  }

  /**
   * Copies a queue in use; copies it again where a file was removed meanwhile, by a merge of the
   * index or with a block of the log.
   */
  private static Path copied(Path data, Path copy) throws IOException {
    try {
      DirectoryCopy.of(data, copy);
      return copy;
    } catch (NoSuchFileException | UncheckedIOException e) {
      DirectoryCopy.delete(copy);
      return copied(data, copy.resolveSibling(copy.getFileName() + " again"));
    }
  }

  private void publish(Random random, Map<String, Long> model) {
    List<Message<String>> batch = new ArrayList<>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      batch.add(Message.of("m").withKey("key " + random.nextInt(30)));
    }
    long first = queue.publisher().putAll(batch, Durability.MEMORY).sequence();
    for (int i = 0; i < batch.size(); i++) {
      model.put(batch.get(i).key(), first + i);
    }
  }
}
