package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What says whose a queue's files are, its own and those of its dead letters, is damaged. */
@Timeout(120)
class IdentityDamageTest {
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing").ack(true).build();

  @TempDir Path base;

  private Path identity;
  private Path letters;
  private UUID id;

  @BeforeEach
  void live() throws IOException {
    live("orders");
    identity = base.resolve("orders/queue.json");
    letters = base.resolve("orders/subscribers/billing/orders.billing.dead");
    id = QueueIdentity.read(identity).id();
  }

  private void live(String name) {
    try (MessageQueue<String> queue = open(name)) {
      Subscriber<String> billing = queue.subscriber(BILLING);
      queue.publisher().publish(name + "-a");
      queue.publisher().publish(name + "-b");
      billing.next().reject("no good");
      await().until(() -> billing.stats().lag() == 1);
    }
  }

  private MessageQueue<String> open(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(base).open();
  }

  private void shouldHoldAll(String name) {
    try (MessageQueue<String> queue = open(name)) {
      assertThat(queue.read(0).orElseThrow().data()).isEqualTo(name + "-a");
      Subscriber<String> billing = queue.subscriber(BILLING);
      assertThat(billing.next().data()).isEqualTo(name + "-b");
      assertThat(billing.deadLetters().peek(9))
          .singleElement()
          .satisfies(letter -> assertThat(letter.data()).isEqualTo(name + "-a"));
    }
  }

  private static void makeNewer(Path file) throws IOException {
    Files.writeString(
        file, Files.readString(file).replaceAll("\"format\"\\s*:\\s*1", "\"format\":2"));
  }

  @Test
  void shouldMakeTheIdentityAnewFromTheLog() throws IOException {
    makeNewer(identity); // one bit
    try (CapturedLog log = new CapturedLog(DataDirectory.class)) {
      shouldHoldAll("orders");
      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("damaged: " + identity)
          .contains(id.toString());
    }
    assertThat(QueueIdentity.read(identity)).matches(read -> read.id().equals(id));
    assertThat(base.resolve("orders/queue.json.damaged")).exists();
    Files.delete(identity);
    shouldHoldAll("orders");
    assertThat(QueueIdentity.read(identity).name()).isEqualTo("orders");
  }

  @Test
  void shouldMakeTheIdentityOfDeadLettersAnew() throws IOException {
    makeNewer(letters.resolve("queue.json"));
    shouldHoldAll("orders");
    Files.writeString(letters.resolve("queue.json"), "{ half");
    shouldHoldAll("orders");
    Files.delete(letters.resolve("queue.json"));
    shouldHoldAll("orders");
  }

  @Test
  void shouldNotTakeTheIdentityOfAnotherQueue() throws IOException {
    live("others");
    Path other = base.resolve("others/queue.json");
    byte[] bytes = Files.readAllBytes(identity);
    Files.move(other, identity, StandardCopyOption.REPLACE_EXISTING);
    Files.write(other, bytes);
    shouldHoldAll("orders");
    shouldHoldAll("others");
  }

  @Test
  void shouldKeepTheIdentityOfAQueueThatWasRenamed() throws IOException {
    DataDirectory.deleteTree(letters);
    Files.move(base.resolve("orders"), base.resolve("renamed"));
    try (CapturedLog log = new CapturedLog(DataDirectory.class);
        MessageQueue<String> queue = open("renamed")) {
      assertThat(queue.read(0).orElseThrow().data()).isEqualTo("orders-a");
      assertThat(log.warnings()).isEmpty();
    }
  }

  @Test
  void shouldNameTheToolWhereNothingSaysWhoseItIs() throws IOException {
    DataDirectory.deleteTree(base.resolve("orders/subscribers"));
    try (Stream<Path> files = Files.list(base.resolve("orders/log"))) {
      for (Path file : files.toList()) {
        Files.write(file, new byte[0]);
      }
    }
    Files.writeString(identity, "{ half");
    assertThatThrownBy(() -> open("orders"))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("damaged: " + identity)
        .hasMessageContaining("./river salvage");
    assertThat(identity).hasContent("{ half");
    Files.delete(identity);
    assertThatThrownBy(() -> open("orders"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("no queue.json")
        .hasMessageContaining("./river salvage");
  }

  @Test
  void shouldRefuseACopyThatAToolDidNotFinish() throws IOException {
    Files.delete(identity);
    Files.createFile(base.resolve("orders").resolve(QueueIdentity.UNFINISHED));
    assertThatThrownBy(() -> open("orders"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("did not finish");
  }

  @Test
  void shouldGoOnWithoutDeadLettersThatCannotBeOpened() throws IOException {
    live("others");
    Path others = base.resolve("others/subscribers/billing/others.billing.dead/log");
    DataDirectory.deleteTree(letters.resolve("log"));
    Files.move(others, letters.resolve("log")); // of another queue than its identity says
    try (CapturedLog log = new CapturedLog(DeadLetterQueue.class);
        MessageQueue<String> queue = open("orders")) {
      Subscriber<String> billing = queue.subscriber(BILLING);
      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("orders.billing.dead.damaged")
          .contains("./river salvage");
      billing.next().reject("no good either");
      await().until(() -> billing.deadLetters().size() == 1);
    }
    assertThat(letters.resolveSibling("orders.billing.dead.damaged/log")).isDirectory();
  }

  @Test
  void shouldRefuseANewerFormatThatIsWhole() throws IOException {
    var json = CheckedJson.read(identity);
    json.remove("check");
    CheckedJson.write(identity, json.put("format", 2));
    assertThatThrownBy(() -> open("orders"))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("format version 2");
  }
}
