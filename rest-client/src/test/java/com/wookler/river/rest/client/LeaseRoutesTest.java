package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Exclusive subscribers, strict order and rates over HTTP. */
@Timeout(120)
class LeaseRoutesTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteQueue orders;
  private RemoteSubscriber one;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
    client = RiverClient.builder("http://127.0.0.1:" + server.port()).build();
    orders = client.queue("orders");
    orders.create(QueueSettings.builder().build());
    one = client.subscriber("orders", "one");
    for (int i = 0; i < 4; i++) {
      orders.publish("m" + i);
    }
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private void exclusive(Duration lease) {
    one.create(
        SubscriberSettings.builder()
            .exclusive(true)
            .lease(lease)
            .ackTimeout(Duration.ofHours(1))
            .build());
  }

  @Test
  void shouldDeliverToOneOwnerAtATime() throws Exception {
    exclusive(Duration.ofHours(1));
    RemoteSubscriber a = one.owner("node a");
    RemoteSubscriber b = one.owner("b");
    assertThat(one.info().lease()).isNull();
    RemoteDelivery first = a.next(SOON);
    assertThat(Objects.requireNonNull(one.info().lease()).owner()).isEqualTo("node a");
    assertThat(b.next()).isNull();
    CompletableFuture<List<RemoteDelivery>> waits = b.batchAsync(1, SOON);
    first.ack();
    RemoteDelivery second = a.next(SOON);
    assertThat(a.renewLease()).isTrue();
    assertThat(b.renewLease()).isFalse();
    b.releaseLease(); // which it has not
    assertThat(waits).isNotDone();
    a.releaseLease();

    RemoteDelivery again = waits.get().get(0);
    assertThat(again.sequence()).isEqualTo(second.sequence());
    assertThat(again.attempt()).isEqualTo(2);
    assertThatThrownBy(second::ack).isInstanceOf(StaleReceiptException.class);
    again.ack();
  }

  @Test
  void shouldPassTheLeaseOnWhenAClientDies() throws Exception {
    exclusive(Duration.ofMillis(300));
    try (RiverClient dying = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      assertThat(dying.subscriber("orders", "one").owner("a").next(SOON)).isNotNull();
    }
    RemoteDelivery again = one.owner("b").next(SOON);
    assertThat(again.sequence()).isZero();
    assertThat(again.attempt()).isEqualTo(2);
  }

  @Test
  void shouldStreamToOneOwnerAtATime() {
    exclusive(Duration.ofSeconds(5));
    Queue<String> toA = new ConcurrentLinkedQueue<>();
    Queue<String> toB = new ConcurrentLinkedQueue<>();
    DeliveryStream a = one.owner("a").stream(10, each -> took(each, toA));
    await().until(() -> toA.size() == 4);
    try (DeliveryStream b = one.owner("b").stream(10, each -> took(each, toB))) {
      orders.publish("m4");
      await().until(() -> toA.size() == 5);
      assertThat(toB).isEmpty();
      a.close();
      orders.publish("m5");
      await().until(() -> toB.size() == 1);
      assertThat(b).isNotNull();
    }
  }

  private static void took(RemoteDelivery delivery, Queue<String> to) {
    to.add(delivery.text());
    delivery.ack();
  }

  @Test
  void shouldRefuseToPollAnExclusiveSubscriberWithoutAnOwner() {
    exclusive(Duration.ofHours(1));
    assertThatThrownBy(one::next)
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("owner");
    assertThatThrownBy(one::releaseLease).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> one.owner("x".repeat(129)).next())
        .isInstanceOf(BadRequestException.class);
  }

  @Test
  void shouldKeepStrictOrderAndRates() throws Exception {
    one.create(SubscriberSettings.builder().order("STRICT").build());
    List<RemoteDelivery> batch = one.batch(10, SOON);
    assertThat(batch).hasSize(1);
    batch.get(0).nack(Duration.ofHours(1));
    assertThat(one.next()).isNull();

    RemoteSubscriber slow = client.subscriber("orders", "slow");
    slow.create(SubscriberSettings.builder().maxRate(1).build());
    assertThat(slow.batch(10, SOON)).hasSize(1);
    assertThat(slow.next()).isNull();
    assertThat(slow.batch(10, SOON)).hasSize(1);
  }
}
