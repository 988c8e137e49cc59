package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.testing.MonitorXml;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Forwarders and sources among the transfers of their queue, and in the monitor's report. */
@Timeout(120)
class TransferReportTest {
  @TempDir Path directory;

  private Map<String, Object> nowhere;

  @BeforeEach
  void create() throws IOException {
    Env.reset();
    Env.create(MonitorXml.in(directory), "river");
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nowhere = Map.of("bootstrap.servers", "127.0.0.1:" + socket.getLocalPort());
    }
  }

  @AfterEach
  void reset() {
    Env.reset();
  }

  private static List<CounterReport> counters() {
    return Monitor.get().counters().stream()
        .filter(each -> each.namespace().startsWith("river.counters.kafka"))
        .toList();
  }

  private static long value(String name, Map<String, String> labels) {
    return counters().stream()
        .filter(each -> each.name().equals(name) && each.labels().equals(labels))
        .mapToLong(each -> each.total().value())
        .sum();
  }

  @Test
  void shouldShowTwoForwardersAndASourceOfOneQueueApart() {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      try (KafkaForwarder<String> one = forwarder(queue, "one");
          KafkaForwarder<String> two = forwarder(queue, "two");
          KafkaSource<String> source =
              KafkaSource.builder(queue, nowhere)
                  .topics("a", "b")
                  .pause(Duration.ofMillis(20))
                  .start()) {
        queue.publisher().publishAll(List.of("x", "y", "z"));
        await().until(() -> one.isAway() && two.isAway() && source.isAway());
        assertThat(queue.transfers())
            .extracting(TransferStats::kind, TransferStats::target, TransferStats::subscriber)
            .containsExactly(
                tuple("KAFKA", "one-topic", "one"),
                tuple("KAFKA", "two-topic", "two"),
                tuple("KAFKA_SOURCE", "a,b", null));
        assertThat(queue.transfers())
            .allSatisfy(
                each -> {
                  assertThat(each.awaySince()).isNotNull();
                  assertThat(each.waiting()).contains("no broker accepts connections");
                  assertThat(each.ended()).isFalse();
                });
        assertThat(queue.transfers().get(0).lag()).isEqualTo(3);
        for (String subscriber : List.of("one", "two")) {
          Map<String, String> labels = Map.of("queue", "orders", "subscriber", subscriber);
          assertThat(value("lag", labels)).isEqualTo(3);
          assertThat(value("failures", labels)).isPositive();
        }
        assertThat(value("failures", Map.of("queue", "orders"))).isPositive();
      }
      assertThat(queue.transfers()).isEmpty();
      assertThat(counters()).isEmpty();
    }
  }

  private KafkaForwarder<String> forwarder(MessageQueue<String> queue, String name) {
    return KafkaForwarder.builder(queue, nowhere)
        .subscriber(name)
        .topic(name + "-topic")
        .pause(Duration.ofMillis(20))
        .start();
  }
}
