package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueuesTest {
  @TempDir Path directory;

  private MessageQueue<String> open(String name, String base) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory.resolve(base))
        .deduplicate(Duration.ofHours(1))
        .open();
  }

  @Test
  void shouldFindAQueueByNameWhileItRuns() {
    Publisher<String> found;
    try (MessageQueue<String> queue = open("queues-a", "one")) {
      found = Queues.<String>publisher("queues-a").orElseThrow();
      found.publish("a");
      assertThat(queue.stats().nextSequence()).isEqualTo(1);
      assertThat(found.window()).isEqualTo(Duration.ofHours(1));
    }
    assertThat(Queues.publisher("queues-a")).isEmpty();
    Publisher<String> left = found;
    assertThatThrownBy(() -> left.publish("b")).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldRefuseToChooseBetweenQueuesOfOneName() {
    try (MessageQueue<String> one = open("queues-b", "one");
        MessageQueue<String> two = open("queues-b", "two")) {
      assertThat(one.name()).isEqualTo(two.name());
      assertThatThrownBy(() -> Queues.publisher("queues-b"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("queues-b")
          .hasMessageContaining("one")
          .hasMessageContaining("two");
    }
  }

  @Test
  void shouldNameTheDataOfAQueueAndNotOnlyTheQueue() {
    String first;
    try (MessageQueue<String> queue = open("queues-c", "one")) {
      first = queue.subscriber("s").origin();
      assertThat(first).startsWith("queues-c-");
      assertThat(queue.subscriber("t").origin()).isEqualTo(first);
    }
    try (MessageQueue<String> queue = open("queues-c", "one")) {
      assertThat(queue.subscriber("s").origin()).isEqualTo(first);
      queue.delete();
    }
    try (MessageQueue<String> queue = open("queues-c", "one")) {
      assertThat(queue.subscriber("s").origin()).isNotEqualTo(first);
    }
  }
}
