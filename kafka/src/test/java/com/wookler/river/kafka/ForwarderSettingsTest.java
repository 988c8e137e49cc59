package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a forwarder refuses, and what it does where there is no broker. */
@Timeout(120)
class ForwarderSettingsTest {
  @TempDir Path directory;

  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private static String closedPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private KafkaForwarder.Builder<String> forwarder(String servers) {
    return KafkaForwarder.builder(queue, Map.of("bootstrap.servers", servers))
        .topic("orders")
        .pause(Duration.ofMillis(20));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "transactional.id",
        "acks",
        "enable.idempotence",
        "key.serializer",
        "group.id",
        "isolation.level"
      })
  void shouldRefuseThePropertiesThatTheGuaranteeRestsOn(String name) {
    assertThatThrownBy(
            () ->
                KafkaForwarder.builder(queue, Map.of("bootstrap.servers", "a:1", name, "1"))
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(name);
  }

  @Test
  void shouldSendOneRequestAtATimeWithoutTransactions() {
    String name = "max.in.flight.requests.per.connection";
    Map<String, Object> given = Map.of("bootstrap.servers", "127.0.0.1:1");
    assertThat(ForwardProperties.of(given, Guarantee.AT_LEAST_ONCE, "id").producer())
        .containsEntry(name, 1);
    assertThatThrownBy(
            () ->
                ForwardProperties.of(
                    Map.of("bootstrap.servers", "a:1", name, 5), Guarantee.AT_LEAST_ONCE, "id"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(name);
    assertThat(
            ForwardProperties.of(
                    Map.of("bootstrap.servers", "127.0.0.1:1", name, 3),
                    Guarantee.EXACTLY_ONCE,
                    "id")
                .producer())
        .containsEntry(name, 3);
  }

  @Test
  void shouldTakeALongerRequestThanItsOwnCallsLast() {
    Map<String, Object> given =
        Map.of("bootstrap.servers", "127.0.0.1:1", "request.timeout.ms", 15_000);
    ForwardProperties properties = ForwardProperties.of(given, Guarantee.EXACTLY_ONCE, "id");
    assertThat(properties.admin()).containsEntry("default.api.timeout.ms", 15_000);
    Admin.create(properties.admin()).close(Duration.ZERO); // which refuses a shorter call
  }

  @Test
  void shouldRefuseWhatKafkaRefuses() {
    assertThatThrownBy(() -> KafkaForwarder.builder(queue, Map.of()).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("bootstrap.servers");
    assertThatThrownBy(
            () ->
                KafkaForwarder.builder(
                        queue, Map.of("bootstrap.servers", "a:1", "linger.ms", "often"))
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("linger.ms");
    assertThatThrownBy(() -> forwarder("a:1").batchMessages(0).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("forward.batch.messages");
  }

  @Test
  void shouldRefuseASubscriberThatDoesNotFit() {
    queue.subscriber("plain");
    queue.subscriber(SubscriberConfig.builder("keys").ack(true).order(Order.KEY).build());
    queue.subscriber(SubscriberConfig.builder("limit").ack(true).maxDeliveries(3).build());
    for (String name : new String[] {"plain", "keys", "limit"}) {
      assertThatThrownBy(() -> forwarder("a:1").subscriber(name).start())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(name);
    }
  }

  @Test
  void shouldTryAgainAndLogOnceWhileThereIsNoBroker() throws Exception {
    try (CapturedLog log = new CapturedLog(ForwardLoop.class)) {
      queue.publisher().publish("a");
      try (KafkaForwarder<String> forwarder = forwarder(closedPort()).start()) {
        await().until(() -> forwarder.stats().failures() > 10);
        assertThat(forwarder.isAway()).isTrue();
        assertThat(forwarder.awaySince()).isNotNull();
        assertThat(forwarder.stats().lag()).isEqualTo(1);
        assertThat(forwarder.position()).isZero();
        assertThat(log.warnings()).hasSize(1).first().asString().contains("127.0.0.1");
      }
    }
    assertThat(queue.subscriber("kafka").next().attempt()).isEqualTo(1);
  }

  @Test
  void shouldEndWithItsQueue() throws Exception {
    KafkaForwarder<String> forwarder = forwarder(closedPort()).start();
    queue.close();
    forwarder.close();
    assertThat(forwarder.stats().stopped()).isTrue();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("RIVER-kafka-orders");
  }
}
