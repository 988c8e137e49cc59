package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.reactor.DeliverySource;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The processors of {@link ProcessorContract} on a share group, and what only that has. */
@Tag("full")
class ShareProcessorsTest extends KafkaProcessorsFixture {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration WAIT = Duration.ofMillis(200);

  @Override
  DeliverySource<String> of(Map<String, Object> properties, String topic) {
    properties.put("share.record.lock.duration.ms", "2000");
    return builder(properties, topic).build();
  }

  @Override
  boolean tellsLag() {
    return false;
  }

  private static KafkaShare.Builder<String> builder(Map<String, Object> properties, String topic) {
    return KafkaShare.builder(properties, topic, "group-" + topic, converter()).earliest();
  }

  @Test
  void shouldKeepWhatFailsAtItsLastDeliveryAsADeadLetter() throws Exception {
    DeliverySource<String> source = source("share-last-delivery");
    AtomicInteger deliveries = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  deliveries.incrementAndGet();
                  return ProcessResult.retry();
                })
            .start()) {
      publish(null, List.of("never"));
      await().atMost(MINUTE).until(() -> deadLetters().size() == 1);
      assertThat(reactor.stats().finished()).isZero();
    }
    assertThat(deadLetters().get("never")).contains("delivered 5 times");
    assertThat(deliveries).hasValue(5);
  }

  @Test
  void shouldKeepWhatCannotBecomeADeadLetterYet() throws Exception {
    String topic = "share-away";
    String dead = topic + "-group-" + topic + "-dead";
    source(topic);
    publish(null, List.of("m"));
    DeliverySource<String> source = of15Seconds(topic).build();
    try (DeliverySource.Consumer<String> consumer = source.consumer(10)) {
      broker.deleteTopic(dead);
      List<Delivery<String>> batch = takeSome(consumer);
      consumer.settle(List.of(Settlement.reject("no")));
      assertThat(consumer.take(WAIT)).isEmpty();
      broker.createTopic(dead, 1);
      publish(null, List.of("next"));
      assertThat(takeSome(consumer)).extracting(Delivery::data).containsExactly("next");
      consumer.settle(List.of(Settlement.ack()));
      assertThat(batch).extracting(Delivery::data).containsExactly("m");
    }
    assertThat(deadLetters()).containsOnlyKeys("m");
  }

  @Test
  void shouldKeepAsADeadLetterWhatAConsumerLostAtItsLastDelivery() throws Exception {
    String topic = "share-lost";
    String dead = topic + "-group-" + topic + "-dead";
    source(topic);
    publish(null, List.of("closed", "away"));
    DeliverySource<String> source = of15Seconds(topic).maxDeliveries(1).build();
    try (DeliverySource.Consumer<String> consumer = source.consumer(10)) {
      broker.deleteTopic(dead);
      assertThat(takeSome(consumer)).hasSize(2);
      consumer.settle(List.of(Settlement.release(), Settlement.nack(Duration.ZERO)));
    }
    broker.createTopic(dead, 1);
    try (DeliverySource.Consumer<String> consumer = source.consumer(10)) {
      await()
          .atMost(MINUTE)
          .until(
              () -> {
                assertThat(consumer.take(WAIT)).isEmpty();
                return deadLetters().size() == 2;
              });
    }
    assertThat(deadLetters().get("closed")).isEqualTo("delivered 1 time");
    assertThat(deadLetters().get("away")).isEqualTo("delivered 1 time");
  }

  @Test
  void shouldContinueAfterALockWasLost() throws Exception {
    String topic = "share-lock";
    DeliverySource<String> source = source(topic);
    publish(null, List.of("a"));
    try (DeliverySource.Consumer<String> slow = source.consumer(10)) {
      assertThat(takeSome(slow)).extracting(Delivery::attempt).containsExactly(1);
      try (DeliverySource.Consumer<String> other = source.consumer(10)) {
        assertThat(takeSome(other)).extracting(Delivery::attempt).containsExactly(2);
        other.settle(List.of(Settlement.ack()));
      }
      publish(null, List.of("b", "c"));
      slow.keepAlive();
      slow.settle(List.of(Settlement.ack()));
      List<String> later = new ArrayList<>();
      while (later.size() < 2) {
        List<Delivery<String>> batch = takeSome(slow);
        batch.forEach(each -> later.add(each.data() + each.attempt()));
        slow.settle(Collections.nCopies(batch.size(), Settlement.ack()));
      }
      assertThat(later).containsExactlyInAnyOrder("b1", "c1");
    }
  }

  private KafkaShare.Builder<String> of15Seconds(String topic) {
    Map<String, Object> properties = broker.client();
    properties.put("share.record.lock.duration.ms", "15000");
    return builder(properties, topic);
  }

  private static List<Delivery<String>> takeSome(DeliverySource.Consumer<String> consumer) {
    List<Delivery<String>> taken = new ArrayList<>();
    await()
        .atMost(MINUTE)
        .until(
            () -> {
              taken.addAll(consumer.take(WAIT));
              return !taken.isEmpty();
            });
    return taken;
  }

  @Test
  void shouldRefuseProperties() {
    for (String name : List.of("group.id", "auto.offset.reset", "group.instance.id")) {
      Map<String, Object> properties = broker.client();
      properties.put(name, "earliest");
      assertThatThrownBy(() -> builder(properties, "refused").build())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(name);
    }
    Map<String, Object> properties = broker.client();
    properties.put("share.delivery.count.limit", 5);
    assertThatThrownBy(() -> builder(properties, "refused").maxDeliveries(5).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("1 to 4 are possible")
        .hasMessageContaining("KafkaGroup");
  }
}
