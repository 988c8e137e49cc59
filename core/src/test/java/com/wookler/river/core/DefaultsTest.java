package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Defaults by patterns of names, in a file and in code. */
@Timeout(120)
class DefaultsTest {
  @TempDir Path directory;

  private static String param(String name, Object value) {
    return "<param name='%s' value='%s'/>\n".formatted(name, value);
  }

  private static String defaults(String attributes, String... params) {
    return "<defaults "
        + attributes
        + "><params>"
        + String.join("", params)
        + "</params></defaults>";
  }

  private String base() {
    return defaults(
        "queue='*'",
        param("queue.message.converter", XmlQueueTest.Text.class.getName()),
        param("queue.directory", directory));
  }

  private Path write(String... elements) throws IOException {
    return Files.writeString(
        directory.resolve("river.xml"), "<river>\n" + String.join("\n", elements) + "\n</river>");
  }

  private static SubscriberConfig config(River river, String queue, String subscriber) {
    return river.queue(queue).subscriber(subscriber).config();
  }

  private static void shouldHoldTwo(MessageQueue<String> queue) {
    queue.publisher().publish("a");
    queue.publisher().publish("b");
    assertThatThrownBy(() -> queue.publisher().publish("c")).isInstanceOf(QueueFullException.class);
  }

  @Test
  void shouldGiveQueuesWhatTheyDoNotSay() throws IOException {
    Path file =
        write(
            base(),
            defaults("queue='orders-*'", param("queue.max.messages", 2)),
            "<queue name='orders-eu'/>",
            "<queue name='orders-us'><params>"
                + param("queue.max.messages", 3)
                + "</params></queue>",
            "<queue name='invoices'/>");
    try (River river = River.open(file)) {
      shouldHoldTwo(river.queue("orders-eu"));
      for (String other : new String[] {"orders-us", "invoices"}) {
        river.<String>queue(other).publisher().publish("a");
        river.<String>queue(other).publisher().publish("b");
        river.<String>queue(other).publisher().publish("c");
      }
    }
  }

  @Test
  void shouldTakeTheLastOfSeveralOptionByOption() throws IOException {
    Path file =
        write(
            base(),
            defaults(
                "subscriber='*'",
                param("subscriber.ack.required", true),
                param("subscriber.ack.timeout", "40ss"),
                param("subscriber.max.deliveries", 4)),
            defaults("subscriber='audit-?'", param("subscriber.ack.timeout", "50ss")),
            defaults("queue='in*' subscriber='*'", param("subscriber.max.deliveries", 5)),
            "<queue name='orders'><subscribers>",
            "<subscriber name='audit-1'/>",
            "<subscriber name='plain'><params>",
            param("subscriber.ack.required", false),
            "</params></subscriber></subscribers></queue>",
            "<queue name='invoices'/>");
    try (River river = River.open(file)) {
      assertThat(config(river, "orders", "audit-1").ackTimeout()).hasSeconds(50);
      assertThat(config(river, "orders", "audit-1").maxDeliveries()).isEqualTo(4);
      assertThat(config(river, "orders", "audit-10").ackTimeout()).hasSeconds(40); // made now
      assertThat(config(river, "invoices", "audit-2").maxDeliveries()).isEqualTo(5);
      assertThat(config(river, "orders", "plain").ackRequired()).isFalse();
      assertThat(config(river, "orders", "plain").maxDeliveries()).isZero(); // without effect
    }
    try (River river = River.open(file)) { // what was created keeps its settings
      assertThat(config(river, "orders", "audit-10").ackTimeout()).hasSeconds(40);
    }
  }

  @Test
  void shouldGiveBackupAndStrategy() throws IOException {
    Path file =
        write(
            base(),
            "<defaults queue='*'><recycle class='"
                + SizeBasedRecycle.class.getName()
                + "'><params>",
            param("recycle.size", 2),
            "</params></recycle><backup><params>",
            param("backup.directory", directory.resolve("backup")),
            param("backup.retention", "10dd"),
            "</params></backup></defaults>",
            "<queue name='orders'/>");
    try (River river = River.open(file)) {
      MessageQueue<String> orders = river.queue("orders");
      orders.subscriber("all");
      for (int i = 0; i < 5; i++) {
        orders.publisher().publish("m");
        assertThat(orders.subscriber("all").next()).isNotNull();
      }
      org.awaitility.Awaitility.await()
          .untilAsserted(() -> assertThat(orders.stats().backups()).isEqualTo(2));
    }
  }

  @Test
  void shouldNameFileLineAndParameter() throws IOException {
    assertRefused(defaults("queue='*'", param("queue.max.mesages", 2)), ":3:", "queue.max.mesages");
    assertRefused(defaults("queue='*'", "\n", param("queue.max.messages", 0)), ":4:", "1 or more");
    assertRefused(defaults("queue='*'", param("queue.max.messages", "x")), ":3:", "'x'");
    assertRefused(defaults("queue='*'", param("subscriber.window", 9)), ":3:", "subscriber.window");
    assertRefused(defaults("subscriber='*'", param("queue.max.bytes", 9)), "queue.max.bytes");
    assertRefused(defaults("queue='a b'"), ":3:", "'a b'");
    assertRefused(defaults(""), ":3:", "'queue' or 'subscriber'");
    assertRefused(defaults("name='*'"), ":3:", "name");
    assertRefused("<defaults subscriber='*'><recycle class='x'/></defaults>", ":3:", "recycle");
    assertRefused(defaults("queue='*'", param("queue.expiry.queue", "orders")), "queue.expiry");
  }

  private void assertRefused(String defaults, String... says) throws IOException {
    Path file = write(base().replace("\n", ""), defaults, "<queue name='orders'/>");
    assertThatThrownBy(() -> River.open(file))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:")
        .hasMessageContainingAll(says);
  }

  @Test
  void shouldCountInCodeToo() {
    Defaults defaults =
        Defaults.NONE
            .queue("orders*", QueueOptions.MAX_MESSAGES, 2L)
            .subscriber("*", "a*", SubscriberOptions.ACK_REQUIRED, true)
            .subscriber("*", "*", SubscriberOptions.ACK_TIMEOUT, Duration.ofMinutes(9));
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .defaults(defaults)
            .open()) {
      shouldHoldTwo(queue);
      SubscriberConfig given =
          SubscriberConfig.builder("audit").ackTimeout(Duration.ofMinutes(1)).build();
      SubscriberConfig audit = queue.subscriber(given).config();
      assertThat(audit.ackRequired()).isTrue();
      assertThat(audit.ackTimeout()).hasMinutes(1);
      assertThat(queue.completed(given)).isEqualTo(audit);
      assertThat(queue.subscriber(given)).isSameAs(queue.subscriber("audit"));
      assertThat(queue.subscriber("billing").config().ackTimeout()).hasMinutes(9);
    }
    assertThatThrownBy(() -> Defaults.NONE.queue("*", QueueOptions.MAX_MESSAGES, 0L))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.max.messages");
  }

  @Test
  void shouldChangeWithAReload() throws IOException {
    Path file = write(base(), "<queue name='orders'/>");
    try (River river = River.open(file)) {
      Path unused =
          write(
              base(),
              defaults("queue='o*'", param("queue.max.messages", 2)),
              "<queue name='orders'/>");
      assertThat(river.reload().changed())
          .containsExactly("queue orders: queue.max.messages is 2, not " + Long.MAX_VALUE);
      shouldHoldTwo(river.queue("orders"));
    }
  }
}
