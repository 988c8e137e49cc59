package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Redrives of dead letters in the background, over HTTP. */
@Timeout(120)
class RedriveRoutesTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;

  private RiverServer server;
  private RiverClient client;
  private RemoteQueue orders;
  private RemoteSubscriber billing;

  @BeforeEach
  void start() throws Exception {
    server = RiverServer.builder().port(0).directory(directory).start();
    client = RiverClient.builder("http://127.0.0.1:" + server.port()).build();
    orders = client.queue("orders");
    orders.create(QueueSettings.builder().build());
    billing = client.subscriber("orders", "billing");
    billing.create(SubscriberSettings.builder().build());
    for (int i = 0; i < 4; i++) {
      orders.publish("m" + i);
      billing.next(SOON).reject(i % 2 == 0 ? "no stock" : "no address");
    }
    await().until(() -> billing.deadLetters(1).size() == 4);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private RedriveInfo ended(RedriveInfo started) {
    await().until(() -> !find(started).state().equals("RUNNING"));
    return find(started);
  }

  private RedriveInfo find(RedriveInfo started) {
    return orders.redrives().stream()
        .filter(each -> each.id().equals(started.id()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldMoveWhatMatchesAndSayHowFarItIs() throws Exception {
    client.queue("repair").create(QueueSettings.builder().build());
    RemoteSubscriber repairing = client.subscriber("repair", "repairing");
    repairing.create(SubscriberSettings.builder().build());
    RedriveInfo started =
        billing.startRedrive("repair", "headers['river.dead.reason'] == 'no stock'");
    assertThat(started.target()).isEqualTo("repair");
    RedriveInfo done = ended(started);
    assertThat(done.state()).isEqualTo("DONE");
    assertThat(orders.redrive(started.id())).isEqualTo(done);
    assertThat(new long[] {done.moved(), done.skipped(), done.left()}).containsExactly(2, 2, 0);
    assertThat(done.started()).isEqualTo(started.started());
    assertThat(repairing.batch(5, SOON))
        .extracting(RemoteDelivery::text)
        .containsExactly("m0", "m2");
    assertThat(billing.deadLetters(5).size()).isEqualTo(2);

    assertThat(ended(billing.startRedrive(null, null)).moved()).isEqualTo(2);
    assertThat(billing.next(SOON).text()).isEqualTo("m1");
    assertThat(orders.cancelRedrive(started.id()).state()).isEqualTo("DONE"); // too late
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    assertThatThrownBy(() -> billing.startRedrive("nowhere", null))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("nowhere");
    assertThatThrownBy(() -> orders.cancelRedrive("none")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> orders.redrive("none")).isInstanceOf(NotFoundException.class);
    assertThat(orders.redrives()).isEmpty();
  }
}
