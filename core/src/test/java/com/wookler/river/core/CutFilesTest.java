package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that a running queue has mapped are cut, or removed, by another program. */
class CutFilesTest {
  private static final String NAME = "orders";

  @TempDir Path base;

  private MessageQueue<String> open() {
    return MessageQueue.builder(NAME, MessageConverter.utf8())
        .directory(base)
        .subscriber(SubscriberConfig.builder("audit").ack(true).build())
        .open();
  }

  private Path file(String name) {
    return base.resolve(NAME).resolve(name);
  }

  private static void cut(Path file) throws IOException {
    cut(file, 0);
  }

  private static void cut(Path file, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }

  @Test
  void shouldFailWhenItsMarksAreCut() throws Exception {
    MessageQueue<String> queue = open();
    queue.publisher().publish("m0");
    cut(file("log/marks"));
    expectFailed(queue, "was cut");
    assertThat(queue.read(0, 1).get(0).data()).isEqualTo("m0");
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
    try (MessageQueue<String> again = open()) {
      assertThat(again.publisher().publish("m1")).isEqualTo(1);
    }
  }

  @Test
  void shouldFailWhenTheBlockToWhichItAppendsIsRemoved() throws Exception {
    MessageQueue<String> queue = open();
    queue.publisher().publish("m0");
    queue.force(); // nothing else would look at the file before the next message
    Files.delete(file("log/b00000001.cq4"));
    expectFailed(queue, "b00000001.cq4");
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
  }

  /** The file that is mapped for appending and reading; nothing but River's errors may come. */
  @ParameterizedTest
  @ValueSource(longs = {0, 4 << 10, 64 << 10, 128 << 10})
  void shouldFailWhenTheBlockToWhichItAppendsIsCut(long bytes) throws Exception {
    MessageQueue<String> queue = open();
    for (int i = 0; i < 2_000; i++) {
      queue.publisher().publish(("m" + i).repeat(20));
    }
    Subscriber<String> audit = queue.subscriber("audit");
    Delivery<String> held = audit.next();
    assertThat(held).isNotNull();
    cut(file("log/b00000001.cq4"), bytes);
    expectOnlyOurs(held::ack);
    await()
        .until(
            () -> {
              expectOnlyOurs(() -> queue.publisher().publish("behind the cut"));
              expectOnlyOurs(() -> queue.publisher().put(Message.of("forced"), Durability.DISK));
              expectOnlyOurs(() -> queue.read(1_999, 1));
              expectOnlyOurs(
                  () -> {
                    Delivery<String> next = audit.next();
                    if (next != null) {
                      next.ack();
                    }
                  });
              expectOnlyOurs(() -> audit.consume(3, Duration.ZERO, view -> Action.ACK));
              return queue.state() == QueueState.FAILED;
            });
    expectFailed(queue, "b00000001.cq4");
    expectOnlyOurs(() -> queue.read(0, 1));
    expectOnlyOurs(audit::next);
    expectOnlyOurs(() -> audit.consume(3, Duration.ZERO, view -> Action.ACK));
    expectOnlyOurs(queue::force);
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
    try (MessageQueue<String> again = open()) {
      assertThat(again.publisher().publish("goes on")).isGreaterThanOrEqualTo(2_000);
    }
  }

  private static void expectOnlyOurs(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    if (thrown != null) {
      assertThat(thrown).isInstanceOf(RiverException.class);
    }
  }

  private void expectFailed(MessageQueue<String> queue, String why) {
    await().until(() -> queue.state() == QueueState.FAILED);
    assertThatThrownBy(() -> queue.publisher().publish("no"))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("queue orders")
        .hasMessageContaining(why)
        .hasMessageContaining("reopen the queue");
  }

  /** What is acknowledged before that is noticed can be lost, and comes again. */
  @ParameterizedTest
  @ValueSource(strings = {"cursor", "ack-1.log"})
  void shouldRefuseAcknowledgementsWhenTheirFileIsCut(String name) throws Exception {
    MessageQueue<String> queue = open();
    for (int i = 0; i < 2_000; i++) {
      queue.publisher().publish("m" + i);
    }
    Subscriber<String> audit = queue.subscriber("audit");
    audit.next().ack();
    Path file = file("subscribers/audit/" + name);
    cut(file);
    AtomicReference<Throwable> refused = new AtomicReference<>();
    await()
        .until(
            () -> {
              try {
                Delivery<String> next = audit.next();
                next.ack();
              } catch (RiverException e) {
                refused.set(e);
              }
              return refused.get() != null;
            });
    assertThat(refused.get())
        .hasMessageContaining(file.toString())
        .hasMessageContaining("was cut")
        .hasMessageContaining("reopen the queue");
    assertThat(queue.publisher().publish("goes on")).isEqualTo(2_000);
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    try {
      queue.close();
    } catch (RiverException e) {
      assertThat(e).hasStackTraceContaining("was cut");
    }
    try (MessageQueue<String> again = open()) {
      assertThat(again.subscriber("audit").next()).isNotNull();
    }
  }
}
