package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Durability levels as users meet them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DurabilityTest {
  @TempDir Path directory;

  /** Forces by itself only when a publisher waits for it. */
  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .syncInterval(Duration.ofDays(1));
  }

  /** Makes the first force fail, which opens the block by its name. */
  private Path hideTheBlock() throws IOException {
    Path block = directory.resolve("orders/log/b00000001.cq4");
    return Files.move(block, directory.resolve("hidden"));
  }

  private void bringTheBlockBack() throws IOException {
    Files.move(directory.resolve("hidden"), directory.resolve("orders/log/b00000001.cq4"));
  }

  @Test
  void shouldPublishAtTheLevelOfTheQueue() throws IOException {
    MessageQueue<String> queue = builder().durability(Durability.DISK).open();
    Publisher<String> publisher = queue.publisher();
    assertThat(publisher.publish("m0")).isZero();
    assertThat(publisher.publish(Message.of("m1"))).isEqualTo(1);
    assertThat(publisher.publishAll(List.of("m2", "m3"))).isEqualTo(2);
    assertThat(publisher.putAll(List.of(Message.of("m4"), Message.of("m5")), Durability.MEMORY))
        .isEqualTo(PublishResult.stored(4, Durability.DISK));
    assertThat(publisher.putAsync(List.of(Message.of("m6")), Durability.MEMORY).join())
        .isEqualTo(PublishResult.stored(6, Durability.DISK));
    assertThat(queue.subscriber("audit").next().data()).isEqualTo("m0");
    queue.close();
  }

  @Test
  void shouldNeverWeakenTheLevelOfTheQueue() throws IOException {
    MessageQueue<String> queue = builder().durability(Durability.DISK).open();
    hideTheBlock();
    assertThatThrownBy(() -> queue.publisher().put(Message.of("m0"), Durability.MEMORY))
        .isInstanceOf(QueueFailedException.class);
    bringTheBlockBack();
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
  }

  @Test
  void shouldRaiseTheLevelForACall() {
    try (MessageQueue<String> queue = builder().open()) {
      Publisher<String> publisher = queue.publisher();
      assertThat(publisher.putAsync(List.of(Message.of("m0")), Durability.MEMORY))
          .isCompletedWithValue(PublishResult.stored(0, Durability.MEMORY));
      assertThat(publisher.put(Message.of("m1"), Durability.DISK))
          .isEqualTo(PublishResult.stored(1, Durability.DISK));
      List<Message<String>> batch = List.of(Message.of("m2"), Message.of("m3"));
      assertThat(publisher.putAll(batch, Durability.DISK))
          .isEqualTo(PublishResult.stored(2, Durability.DISK));
      assertThat(publisher.putAsync(batch, Durability.DISK).join())
          .isEqualTo(PublishResult.stored(4, Durability.DISK));
      assertThat(publisher.publish("m6")).isEqualTo(6);
    }
  }

  @Test
  void shouldRefuseWhatNamesNoLevel() {
    try (MessageQueue<String> queue = builder().open()) {
      assertThatThrownBy(() -> queue.publisher().put(Message.of("m"), null)).hasMessage("level");
      assertThat(queue.publisher().putAsync(List.of(Message.of("m")), null))
          .isCompletedExceptionally();
      assertThat(queue.stats().nextSequence()).isZero();
    }
  }

  @Test
  void shouldFailAndReadOnWhenTheDeviceFails() throws IOException {
    MessageQueue<String> queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    Publisher<String> publisher = queue.publisher();
    publisher.publish("m0");
    assertThat(audit.next().data()).isEqualTo("m0");
    publisher.publish("m1");
    hideTheBlock();
    assertThatThrownBy(() -> publisher.put(Message.of("m2"), Durability.DISK))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("orders");
    bringTheBlockBack();
    assertThat(queue.state()).isEqualTo(QueueState.FAILED);
    assertThatThrownBy(() -> publisher.publish("m3")).isInstanceOf(QueueFailedException.class);
    assertThatThrownBy(() -> publisher.putAsync(List.of(Message.of("m3")), Durability.DISK).join())
        .hasCauseInstanceOf(QueueFailedException.class);
    assertThat(audit.next().data()).isEqualTo("m1");
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
  }

  @Test
  void shouldForceAcrossBlocks() {
    List<Long> sequences = new ArrayList<>();
    try (MessageQueue<String> queue =
        builder().durability(Durability.DISK).recycle(SizeBasedRecycle.ofMessages(3)).open()) {
      List<CompletableFuture<PublishResult>> under = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        under.add(queue.publisher().putAsync(List.of(Message.of("m" + i)), Durability.DISK));
      }
      under.forEach(future -> sequences.add(future.join().sequence()));
    }
    assertThat(sequences).hasSize(100).isSorted().doesNotHaveDuplicates();
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 100; i++) {
        assertThat(audit.next().data()).isEqualTo("m" + i);
      }
    }
  }

  @Test
  void shouldAnswerEveryPublisherWhenItIsClosed() throws Exception {
    MessageQueue<String> queue = builder().durability(Durability.DISK).open();
    Queue<String> returned = new ConcurrentLinkedQueue<>();
    CountDownLatch some = new CountDownLatch(100);
    List<CompletableFuture<Void>> publishers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "p" + i;
      CompletableFuture<Void> ended = new CompletableFuture<>();
      publishers.add(ended);
      new MonitoredThread(name, () -> publishUntilClosed(queue, name, returned, some, ended))
          .start();
    }
    some.await();
    queue.close();
    for (CompletableFuture<Void> ended : publishers) {
      assertThatThrownBy(ended::join).hasCauseInstanceOf(QueueClosedException.class);
    }
    List<String> found = new ArrayList<>();
    try (MessageQueue<String> again = builder().open()) {
      Subscriber<String> audit = again.subscriber("audit");
      for (Delivery<String> next = audit.next(); next != null; next = audit.next()) {
        found.add(next.data());
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(returned);
  }

  private static void publishUntilClosed(
      MessageQueue<String> queue,
      String name,
      Queue<String> returned,
      CountDownLatch some,
      CompletableFuture<Void> ended) {
    try {
      Publisher<String> publisher = queue.publisher();
      for (int i = 0; ; i++) {
        publisher.publish(name + " " + i);
        returned.add(name + " " + i);
        some.countDown();
      }
    } catch (RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }
}
