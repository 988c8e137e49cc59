package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of operators and pages, at a real server. */
@Timeout(120)
class OperatorCallsTest {
  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteQueue orders;
  private RemoteSubscriber billing;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
    client = RiverClient.builder("http://127.0.0.1:" + server.port()).build();
    orders = client.queue("orders");
    billing = client.subscriber("orders", "billing");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void shouldDeleteOneDeadLetter() throws Exception {
    orders.publish("a");
    orders.publish("b");
    for (RemoteDelivery delivery : billing.batch(2, Duration.ofSeconds(30))) {
      delivery.reject("no good");
    }
    StoredMessage first = billing.deadLetters(9).messages().get(0);
    billing.deleteDeadLetter(first.sequence());
    assertThat(billing.deadLetters(9).size()).isOne();
    assertThat(billing.deadLetters(9).messages().get(0).text()).isEqualTo("b");
    assertThatThrownBy(() -> billing.deleteDeadLetter(first.sequence()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void shouldShowAndEndConsumers() {
    orders.publish("a");
    billing.create(SubscriberSettings.builder().build());
    assertThat(billing.consumers(9)).isEmpty();
    DeliveryStream stream = billing.stream(delivery -> {});
    try {
      await().until(() -> billing.consumers(9).size() == 1);
      ConsumerInfo first = billing.consumers(9).get(0);
      assertThat(first.kind()).isEqualTo("STREAM");
      billing.endConsumer(first.id());
      await().until(() -> !billing.consumers(9).contains(first)); // it comes back as another one
      assertThatThrownBy(() -> billing.endConsumer(first.id()))
          .isInstanceOf(NotFoundException.class);
      await().until(() -> billing.consumers(9).size() == 1);
    } finally {
      stream.close();
    }
  }

  @Test
  void shouldListBlocksAPageAtATime() {
    RemoteQueue small = client.queue("small");
    QueueSettings.Recycle every = new QueueSettings.Recycle(1L, null, null);
    QueueInfo made = small.create(QueueSettings.builder().recycle(every).build());
    assertThat(made.settingsFrom()).isEqualTo("REQUEST");
    client.subscriber("small", "s").create(SubscriberSettings.builder().build());
    small.publish("a");
    small.publish("b");
    assertThat(small.blocks(Integer.MAX_VALUE, 2))
        .extracting(BlockInfo::number)
        .containsExactly(3, 2);
    BlockInfo oldest = small.blocks(2, 9).get(0);
    assertThat(oldest.state()).isEqualTo("CLOSED");
    assertThat(oldest.endSequence()).isEqualTo(1);
    assertThat(oldest.inBackup()).isFalse();
    assertThat(oldest.backupBytes()).isNull();
    assertThat(oldest.firstPublished()).isEqualTo(oldest.lastPublished()).isNotNull();
  }

  @Test
  void shouldMakeATokenByWhichAnyHttpClientOpensAStream() throws Exception {
    orders.publish("order 0");
    StreamToken made = billing.streamToken();
    assertThat(made.leftMillis()).isEqualTo(60_000);
    String uri =
        "http://127.0.0.1:%d/v1/queues/orders/subscribers/billing/stream?token=%s"
            .formatted(server.port(), made.token());
    HttpURLConnection get = (HttpURLConnection) URI.create(uri).toURL().openConnection();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(get.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).contains("order 0");
    } finally {
      get.disconnect();
    }
  }

  @Test
  void shouldAddChangeAwaitAndRemoveAForward() {
    RemoteQueue parcels = client.queue("parcels");
    parcels.create(QueueSettings.builder().build());
    orders.create(QueueSettings.builder().build());
    ForwardInfo added =
        orders.forward("parcels", ForwardSettings.builder().filter("key == 'p'").build());
    assertThat(added.target()).isEqualTo("parcels");
    assertThat(added.configured()).isFalse();
    orders.publish(NewMessage.text("a").withKey("x"));
    long last = orders.publish(NewMessage.text("b").withKey("p"));
    assertThat(orders.awaitForwards(last, Duration.ofSeconds(30), "parcels")).isTrue();
    assertThat(parcels.message(0).orElseThrow().text()).isEqualTo("b");
    assertThat(parcels.message(1)).isEmpty();

    ForwardSettings all = ForwardSettings.builder().filter("true").build();
    assertThat(orders.forward("parcels", all).settings().filter()).isEqualTo("true");
    assertThat(orders.forwards()).extracting(ForwardInfo::target).containsExactly("parcels");
    orders.removeForward("parcels");
    assertThat(orders.forwards()).isEmpty();
    assertThatThrownBy(() -> orders.removeForward("parcels")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> orders.forward("orders", all))
        .isInstanceOf(RiverClientException.class);
  }

  @Test
  void shouldHaveTheServerReadItsFileAgain() throws Exception {
    assertThatThrownBy(client::reload).isInstanceOf(ConflictException.class); // it has none
    Path file = directory.resolve("river.xml");
    String xml =
        """
        <river><server><params>
          <param name="server.queue.port" value="0"/>
          <param name="server.directory" value="%s"/>
        </params></server>
        <queue name="jobs"><params>
          <param name="queue.directory" value="%s"/>
          <param name="queue.message.converter" value="bytes"/>
          <param name="queue.max.messages" value="MOST"/>
        </params></queue></river>
        """
            .formatted(directory.resolve("made"), directory.resolve("file"));
    Files.writeString(file, xml.replace("MOST", "7"));
    try (RiverServer other = RiverServer.open(file);
        RiverClient reloads = RiverClient.builder("http://127.0.0.1:" + other.port()).build()) {
      Files.writeString(file, xml.replace("MOST", "8"));
      Reloaded reloaded = reloads.reload();
      assertThat(reloaded.changed()).singleElement().asString().contains("queue.max.messages");
      assertThat(reloaded.added()).isEmpty();
      Files.writeString(file, xml.replace("MOST", "many"));
      assertThatThrownBy(reloads::reload)
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("many");
      assertThat(reloads.queue("jobs").info().settings().maxMessages()).isEqualTo(8L);
    }
  }
}
