package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.Aside;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages of one id are stored once within the window. */
@Timeout(120)
class DeduplicationTest {
  private static final Duration WINDOW = Duration.ofMinutes(10);

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
        .deduplicate(WINDOW)
        .timeSource(time);
  }

  private void open() {
    queue = builder(directory.resolve("data")).open();
  }

  private static Message<String> message(String id) {
    return Message.of("data of " + id).withId(id);
  }

  private PublishResult put(String id) {
    return queue.publisher().put(message(id), Durability.MEMORY);
  }

  private CompletableFuture<PublishResult> putAsync(Message<String> message, Durability level) {
    return queue.publisher().putAsync(List.of(message), level);
  }

  private void assertDuplicate(String id, long sequence) {
    long end = queue.stats().nextSequence();
    assertThat(put(id)).isEqualTo(PublishResult.duplicateOf(sequence, Durability.MEMORY));
    assertThat(queue.stats().nextSequence()).isEqualTo(end);
  }

  @Test
  void shouldStoreAnIdOnce() {
    open();
    queue.publisher().publish("without");
    assertThat(put("a")).isEqualTo(PublishResult.stored(1, Durability.MEMORY));
    assertThat(put("b")).isEqualTo(PublishResult.stored(2, Durability.MEMORY));
    assertDuplicate("a", 1);
    assertThat(queue.publisher().publish(message("b"))).isEqualTo(2);
    assertThat(putAsync(message("a"), Durability.MEMORY).join())
        .isEqualTo(PublishResult.duplicateOf(1, Durability.MEMORY));
    assertThat(queue.publisher().put(message("a"), Durability.DISK))
        .isEqualTo(PublishResult.duplicateOf(1, Durability.DISK));
    assertThat(putAsync(message("a"), Durability.DISK).join())
        .isEqualTo(PublishResult.duplicateOf(1, Durability.DISK));
    assertThat(queue.stats().nextSequence()).isEqualTo(3);
    assertThat(putAsync(message("c"), Durability.DISK).join())
        .isEqualTo(PublishResult.stored(3, Durability.DISK));
    assertThat(putAsync(Message.of("none"), Durability.MEMORY).join())
        .isEqualTo(PublishResult.stored(4, Durability.MEMORY));
    assertThat(queue.read(1)).hasValueSatisfying(m -> assertThat(m.data()).isEqualTo("data of a"));
  }

  @Test
  void shouldAnswerARepetitionAtDiskWhenTheFirstIsOnTheDevice() throws Exception {
    queue = builder(directory).syncInterval(Duration.ofDays(1)).open();
    WorkerPool flusher = WorkerPool.acquire("flusher", 1); // the one of all queues
    CountDownLatch over = new CountDownLatch(1);
    try {
      put("a");
      put("b");
      for (int i = 0; i < QueueStorage.FLUSHERS; i++) {
        CountDownLatch held = new CountDownLatch(1);
        flusher.serial("holds it " + i).execute(() -> hold(held, over));
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
      }
      CompletableFuture<PublishResult> later = putAsync(message("a"), Durability.DISK);
      FutureTask<PublishResult> waits =
          new FutureTask<>(() -> queue.publisher().put(message("b"), Durability.DISK));
      MonitoredThread publisher = new MonitoredThread("publisher", waits);
      publisher.start();
      await().until(() -> publisher.getState() == Thread.State.WAITING);
      assertDuplicate("a", 0); // in memory there is nothing to wait for
      assertThat(forcedEnd()).isZero();
      assertThat(later).isNotDone();
      assertThat(waits.isDone()).isFalse();
      over.countDown();
      assertThat(later.get()).isEqualTo(PublishResult.duplicateOf(0, Durability.DISK));
      assertThat(waits.get()).isEqualTo(PublishResult.duplicateOf(1, Durability.DISK));
      assertThat(forcedEnd()).isEqualTo(2);
      assertThat(queue.stats().nextSequence()).isEqualTo(2);
    } finally {
      over.countDown();
      flusher.release();
    }
  }

  private static void hold(CountDownLatch held, CountDownLatch over) {
    held.countDown();
    try {
      over.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long forcedEnd() {
    return queue.running().log().forcedEnd();
  }

  @Test
  void shouldTellWhichOfABatchAreDuplicates() {
    open();
    put("a");
    List<Message<String>> batch =
        List.of(message("b"), message("a"), Message.of("none"), message("b"), message("c"));

    assertThat(queue.publisher().putAsync(batch, Durability.DISK).join())
        .isEqualTo(new PublishResult(1, Map.of(1, 0L, 3, 1L), Durability.DISK));
    assertThat(putAsync(message("b"), Durability.MEMORY).join())
        .isEqualTo(PublishResult.duplicateOf(1, Durability.MEMORY));
    List<Message<String>> plain = List.of(Message.of("x"), Message.of("y"));
    assertThat(queue.publisher().putAsync(plain, Durability.MEMORY).join())
        .isEqualTo(PublishResult.stored(4, Durability.MEMORY));
    assertThat(queue.publisher().putAsync(List.of(), Durability.MEMORY)).isCompletedExceptionally();
  }

  @Test
  void shouldOpenOverADamagedBlockAndKnowAllOtherIds() throws IOException {
    open();
    for (int i = 0; i < 25; i++) {
      put("id" + i);
    }
    queue.close();
    deleteTree(directory.resolve("data/orders/ids")); // so that the log has to tell
    Path block = directory.resolve("data/orders/log/b00000002.cq4");
    byte[] bytes = Files.readAllBytes(block);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.indexOf("data of id13")] ^= 1;
    Files.write(block, bytes);
    open();
    for (int i = 0; i < 25; i++) {
      if (i != 13) {
        assertDuplicate("id" + i, i);
      }
    }
    assertThat(put("id13")).isEqualTo(PublishResult.stored(25, Durability.MEMORY));
  }

  private static void deleteTree(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void shouldRefuseAnIdThatHasNoUtf8Form() {
    assertThatThrownBy(() -> message("a\uD83D"))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("surrogate");
    assertThat(message("a\uD83D\uDE00?").id()).isEqualTo("a\uD83D\uDE00?");
  }

  @Test
  void shouldPayNoHeedToIdsWithoutAWindow() {
    queue = builder(directory).deduplicate(Duration.ZERO).open();
    assertThat(put("a")).isEqualTo(PublishResult.stored(0, Durability.MEMORY));
    assertThat(put("a")).isEqualTo(PublishResult.stored(1, Durability.MEMORY));
  }

  @Test
  void shouldStoreItAgainWhenItsWindowHasPassed() {
    open();
    put("a");
    time.advance(WINDOW.minusMillis(1));
    assertDuplicate("a", 0);
    time.advance(Duration.ofMillis(1));
    assertThat(put("a")).isEqualTo(PublishResult.stored(1, Durability.MEMORY));
    assertDuplicate("a", 1);
  }

  @Test
  void shouldLeaveDuplicatesOutOfABatch() {
    open();
    put("a");
    List<Message<String>> batch =
        List.of(message("b"), message("a"), message("b"), Message.of("none"), message("c"));
    assertThat(queue.publisher().putAll(batch, Durability.MEMORY))
        .isEqualTo(new PublishResult(1, Map.of(1, 0L, 2, 1L), Durability.MEMORY));
    assertThat(queue.stats().nextSequence()).isEqualTo(4);
    assertThat(queue.read(1, 10))
        .extracting(Delivery::data)
        .containsExactly("data of b", "none", "data of c");
    assertDuplicate("c", 3);
    List<Message<String>> oneNew = List.of(message("a"), message("d"));
    assertThat(queue.publisher().putAll(oneNew, Durability.MEMORY))
        .isEqualTo(new PublishResult(4, Map.of(0, 0L), Durability.MEMORY));
    assertDuplicate("d", 4);
    List<Message<String>> noneNew = List.of(message("c"), message("a"));
    assertThat(queue.publisher().putAll(noneNew, Durability.DISK))
        .isEqualTo(new PublishResult(3, Map.of(0, 3L, 1, 0L), Durability.DISK));
    assertThat(queue.stats().nextSequence()).isEqualTo(5);
  }

  @Test
  void shouldStoreOneOfManyThatAreRepeatedAtOnce() {
    open();
    Map<String, Long> sequences = new ConcurrentHashMap<>();
    List<CompletableFuture<Void>> work =
        IntStream.range(0, 6)
            .mapToObj(
                thread ->
                    Aside.run(
                        () -> {
                          for (int i = 0; i < 2_000; i++) {
                            String id = "id " + i;
                            long sequence = queue.publisher().publish(message(id));
                            Long before = sequences.putIfAbsent(id, sequence);
                            assertThat(before == null || before == sequence).isTrue();
                          }
                        }))
            .toList();
    work.forEach(CompletableFuture::join);
    assertThat(queue.stats().nextSequence()).isEqualTo(2_000);
    assertThat(sequences.values()).doesNotHaveDuplicates().hasSize(2_000);
  }

  @Test
  void shouldKnowThemAfterARestartAndWhenTheirBlocksAreGone() {
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    for (int i = 0; i < 25; i++) {
      put("id " + i);
    }
    for (int i = 0; i < 25; i++) {
      audit.next();
    }
    await().until(() -> queue.stats().firstSequence() == 20);
    assertDuplicate("id 3", 3);
    queue.close();
    open();
    for (int i = 0; i < 25; i++) {
      assertDuplicate("id " + i, i);
    }
    time.advance(WINDOW);
    assertThat(put("id 3").duplicate()).isFalse();
  }

  @Tag("full")
  @Test
  void shouldKnowExactlyWhatWasStoredWhenItIsKilled() throws IOException {
    queue = builder(directory.resolve("data")).syncInterval(Duration.ofHours(1)).open();
    put("forced");
    queue.force();
    for (int i = 0; i < 25; i++) {
      put("id " + i);
    }
    queue.publisher().putAll(List.of(message("x"), message("y")), Durability.MEMORY);
    Path copy = directory.resolve("killed");
    copy(directory.resolve("data"), copy);
    queue.close();
    queue = builder(copy).open();
    assertDuplicate("forced", 0);
    for (int i = 0; i < 25; i++) {
      assertDuplicate("id " + i, i + 1);
    }
    assertDuplicate("y", 27);
    assertThat(put("z")).isEqualTo(PublishResult.stored(28, Durability.MEMORY));
  }

  /** Of a queue in which nobody publishes; files under construction come and go all the same. */
  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(each)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            try {
              Files.copy(each, to.resolve(from.relativize(each)));
            } catch (NoSuchFileException e) {
              assertThat(each.toString()).endsWith(".tmp");
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) {
            assertThat(each.toString()).endsWith(".tmp");
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Test
  void shouldAskTheLogWhenItsFilesAreGone() throws IOException {
    open();
    for (int i = 0; i < 25; i++) {
      put("id " + i);
    }
    queue.close();
    DataDirectory.deleteTree(directory.resolve("data/orders/ids"));
    open();
    for (int i = 0; i < 25; i++) {
      assertDuplicate("id " + i, i);
    }
  }

  @Test
  void shouldAnswerARepetitionThoughTheQueueIsFull() {
    queue = builder(directory).maxMessages(2).open();
    put("a");
    put("b");
    assertThatThrownBy(() -> put("c")).isInstanceOf(QueueFullException.class);
    assertDuplicate("a", 0);
    queue.subscriber("audit").purge();
    assertThat(put("c")).isEqualTo(PublishResult.stored(2, Durability.MEMORY));
  }

  @Test
  void shouldWaitForRoomWithoutHoldingOthersUp() {
    queue =
        builder(directory).maxMessages(1).whenFull(FullPolicy.BLOCK, Duration.ofMinutes(1)).open();
    put("a");
    CompletableFuture<PublishResult> first = Aside.supply(() -> put("b"));
    CompletableFuture<PublishResult> second = Aside.supply(() -> put("b"));
    assertDuplicate("a", 0);
    Subscriber<String> audit = queue.subscriber("audit");
    assertThat(audit.next()).isNotNull();
    assertThat(first.join().sequence()).isEqualTo(1);
    assertThat(second.join().sequence()).isEqualTo(1);
    assertThat(first.join().duplicate()).isNotEqualTo(second.join().duplicate());
  }
}
