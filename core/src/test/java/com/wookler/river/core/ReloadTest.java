package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A configuration file that is read again while its queues run. */
@Timeout(120)
class ReloadTest {
  @TempDir Path directory;

  private Path file;
  private River river;
  private MessageQueue<String> orders;

  private static String param(String name, Object value) {
    return "<param name='%s' value='%s'/>\n".formatted(name, value);
  }

  private String queue(String name, String params, String subscriber) {
    return """
        <queue name='%s'><params>
        %s%s%s</params>
        <subscribers><subscriber name='billing'><params>
        %s%s</params></subscriber></subscribers></queue>
        """
        .formatted(
            name,
            param("queue.message.converter", XmlQueueTest.Text.class.getName()),
            param("queue.directory", directory),
            params,
            param("subscriber.ack.required", "true"),
            subscriber);
  }

  private void write(String queues) throws IOException {
    Files.writeString(file, "<river>\n" + queues + "</river>\n");
  }

  @BeforeEach
  void open() throws IOException {
    file = directory.resolve("orders.xml");
    write(
        queue(
            "orders",
            param("queue.max.messages", 1),
            param("subscriber.filter", EveryOther.class.getName())));
    river = River.open(file);
    orders = river.queue("orders");
  }

  @AfterEach
  void close() {
    river.close();
  }

  private SubscriberConfig billing() {
    return orders.subscriber("billing").config();
  }

  @Test
  void shouldChangeWhatMayChangeAndNameTheRest() throws IOException {
    orders.publisher().publish("m0");
    assertThatThrownBy(() -> orders.publisher().publish("m1"))
        .isInstanceOf(QueueFullException.class);
    write(
        queue(
                "orders",
                param("queue.max.messages", 2) + param("queue.index.keys", "true"),
                param("subscriber.filter", EveryOther.class.getName())
                    + param("subscriber.ack.timeout", "45ss")
                    + param("subscriber.max.deliveries", 3))
            + queue("invoices", "", ""));

    assertThat(river.reload())
        .containsExactly(
            "queue orders: queue.index.keys is false, not true",
            "queue orders, subscriber billing: subscriber.max.deliveries is 0, not 3",
            "queue invoices is new");

    orders.publisher().publish("m1");
    assertThatThrownBy(() -> orders.publisher().publish("m2"))
        .isInstanceOf(QueueFullException.class);
    assertThat(billing().ackTimeout()).isEqualTo(Duration.ofSeconds(45));
    assertThat(billing().maxDeliveries()).isZero();
    assertThat(river.queues()).containsOnlyKeys("orders");
  }

  @Test
  void shouldGoBackToTheDefaultOfWhatIsLeftOut() throws IOException {
    write(queue("orders", "", param("subscriber.filter", EveryOther.class.getName())));

    assertThat(river.reload()).isEmpty();

    orders.publisher().publish("m0");
    orders.publisher().publish("m1");
    assertThat(river.reload()).isEmpty();
  }

  @Test
  void shouldChangeNothingIfTheFileIsWrong() throws IOException {
    write(
        queue("orders", param("queue.max.messages", 7), "")
            + queue("invoices", param("queue.max.messages", 0), ""));

    assertThatThrownBy(() -> river.reload())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("orders.xml:")
        .hasMessageContaining("queue.max.messages");

    orders.publisher().publish("m0");
    assertThatThrownBy(() -> orders.publisher().publish("m1"))
        .isInstanceOf(QueueFullException.class);
  }
}
