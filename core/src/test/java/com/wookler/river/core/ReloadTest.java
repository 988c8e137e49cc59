package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Subscriber;
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

  /** Else the same file could not be read again, nor opened. */
  @Test
  void shouldMakeNewSubscribersWithoutTheDefaultsThatTheFileHasNoMore() throws IOException {
    String defaults =
        "<defaults subscriber='*'><params>"
            + param("subscriber.ack.timeout", "45ss")
            + param("subscriber.max.in.flight", 7)
            + "</params></defaults>";
    write(defaults + queue("invoices", "", ""));
    river.close();
    river = River.open(file);
    String second = "<subscriber name='audit'/></subscribers>";
    write(queue("invoices", "", "").replace("</subscribers>", second));

    assertThat(river.reload().added()).containsExactly("queue invoices, subscriber audit");
    SubscriberConfig audit = river.<String>queue("invoices").subscriber("audit").config();
    assertThat(audit.ackTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(audit.maxInFlight()).isEqualTo(10_000);
    assertThat(river.reload().changed()).isEmpty();
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

    ReloadResult result = river.reload();

    assertThat(result.changed())
        .containsExactly(
            "queue orders: queue.max.messages is 2, not 1",
            "queue orders, subscriber billing: subscriber.ack.timeout is PT45S, not PT30S");
    assertThat(result.needsReopening())
        .containsExactly(
            "queue orders: queue.index.keys is false, not true",
            "queue orders, subscriber billing: subscriber.max.deliveries is 0, not 3");
    assertThat(result.added()).containsExactly("queue invoices");
    assertThat(result.missing()).isEmpty();

    orders.publisher().publish("m1");
    assertThatThrownBy(() -> orders.publisher().publish("m2"))
        .isInstanceOf(QueueFullException.class);
    assertThat(billing().ackTimeout()).isEqualTo(Duration.ofSeconds(45));
    assertThat(billing().maxDeliveries()).isZero();
    assertThat(river.queues()).containsOnlyKeys("orders", "invoices");
    river.<String>queue("invoices").publisher().publish("i0");
    assertThat(river.<String>queue("invoices").subscriber("billing").next()).isNotNull();
  }

  @Test
  void shouldOpenNewSubscribersAndNameWhatIsMissing() throws IOException {
    orders.publisher().publish("m0");
    write(queue("orders", "", "").replace("billing", "audit"));

    ReloadResult result = river.reload();

    assertThat(result.added()).containsExactly("queue orders, subscriber audit");
    assertThat(result.missing()).containsExactly("queue orders, subscriber billing");
    assertThat(orders.subscribers()).extracting(Subscriber::name).contains("audit", "billing");
    assertThat(orders.subscriber("audit").next()).isNotNull();
    write(queue("invoices", "", ""));
    assertThat(river.reload().missing()).containsExactly("queue orders");
    assertThat(river.reload().missing()).isEmpty(); // since the file was read before
    assertThat(orders.state()).isEqualTo(QueueState.RUNNING);
    assertThat(river.queues()).containsOnlyKeys("orders", "invoices");
  }

  @Test
  void shouldOpenAQueueAgainThatWasClosed() throws IOException {
    orders.publisher().publish("m0");
    orders.close();

    assertThat(river.reload().added()).containsExactly("queue orders");

    MessageQueue<String> again = river.queue("orders");
    assertThat(again).isNotSameAs(orders);
    assertThat(again.subscriber("billing").next()).isNotNull();
  }

  @Test
  void shouldGoBackToTheDefaultOfWhatIsLeftOut() throws IOException {
    write(queue("orders", "", param("subscriber.filter", EveryOther.class.getName())));

    assertThat(river.reload().changed()).hasSize(1);

    orders.publisher().publish("m0");
    orders.publisher().publish("m1");
    ReloadResult again = river.reload();
    assertThat(again.changed()).isEmpty();
    assertThat(again.needsReopening()).isEmpty();
  }

  private void shouldChangeNothing(String... says) {
    assertThatThrownBy(() -> river.reload()).hasMessageContainingAll(says);
    orders.publisher().publish("m0");
    assertThatThrownBy(() -> orders.publisher().publish("m1"))
        .isInstanceOf(QueueFullException.class);
    assertThat(orders.subscriberNames()).containsExactly("billing");
    assertThat(river.queues()).containsOnlyKeys("orders");
  }

  @Test
  void shouldChangeNothingIfAValueIsWrong() throws IOException {
    write(
        queue("orders", param("queue.max.messages", 7), "")
            + queue("invoices", param("queue.max.messages", 0), ""));
    shouldChangeNothing("orders.xml:", "queue.max.messages");
  }

  @Test
  void shouldChangeNothingIfASubscriberCouldNotBeOpenedAgain() throws IOException {
    write(queue("orders", param("queue.max.messages", 2), param("subscriber.order", "KEY")));
    shouldChangeNothing("queue orders, subscriber billing", "order = SEQUENCE", "cannot change");
  }

  @Test
  void shouldChangeNothingIfAnOptionIsUnknown() throws IOException {
    write(queue("orders", param("queue.max.messages", 7) + param("queue.max.mesages", 7), ""));
    shouldChangeNothing("orders.xml:", "queue.max.mesages");
  }

  @Test
  void shouldChangeNothingIfTheFileCannotBeRead() throws IOException {
    Files.delete(file);
    shouldChangeNothing("orders.xml");
  }

  @Test
  void shouldChangeNothingIfANewQueueCannotBeOpened() throws IOException {
    String changed =
        queue("orders", param("queue.max.messages", 7), "")
            .replace("</subscribers>", "<subscriber name='audit'/></subscribers>");
    write(changed + queue("invoices", "", "") + queue("refunds", "", ""));
    Files.writeString(directory.resolve("refunds"), "a file");
    shouldChangeNothing("refunds");
    assertThat(directory.resolve("invoices")).doesNotExist(); // which was made, and deleted again
    Files.delete(directory.resolve("refunds"));

    assertThat(river.reload().added())
        .containsExactly("queue orders, subscriber audit", "queue invoices", "queue refunds");
  }

  @Test
  void shouldKeepAQueueThatWasThereBeforeAReloadThatFails() throws IOException {
    write(queue("orders", "", "") + queue("invoices", "", ""));
    river.reload();
    MessageQueue<String> invoices = river.queue("invoices");
    invoices.close();
    write(queue("orders", "", "") + queue("invoices", "", "") + queue("refunds", "", ""));
    Files.writeString(directory.resolve("refunds"), "a file");

    assertThatThrownBy(() -> river.reload()).hasMessageContaining("refunds");

    assertThat(directory.resolve("invoices")).isDirectory();
    assertThat(river.queue("invoices")).isSameAs(invoices);
  }

  @Test
  void shouldChangeNothingIfANewSubscriberCannotBeOpened() throws IOException {
    write(
        queue("orders", param("queue.max.messages", 7), "")
                .replace(
                    "</subscribers>",
                    "<subscriber name='audit'/><subscriber name='BILLINGS'/></subscribers>")
            + queue("invoices", "", ""));
    Files.writeString(directory.resolve("orders/subscribers/BILLINGS"), "a file");
    shouldChangeNothing("BILLINGS");
  }

  @Test
  void shouldRefuseWhenItIsClosed() {
    river.close();
    assertThatThrownBy(() -> river.reload()).isInstanceOf(QueueClosedException.class);
  }
}
