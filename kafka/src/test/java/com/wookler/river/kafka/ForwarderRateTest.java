package com.wookler.river.kafka;

import static org.awaitility.Awaitility.await;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.testing.DirectoryCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures a forwarder beside a producer that is fed from memory, in turns, with one broker and one
 * partition. Logs the rates; it asserts nothing, because rates are the machine's. Run by:
 *
 * <pre>mvn -q -DskipChecks -pl kafka -am test -Dtest=ForwarderRateTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Driver.kafka.rate=true</pre>
 */
@EnabledIfSystemProperty(named = "river.kafka.rate", matches = "true")
class ForwarderRateTest {
  private static final Logger LOG = LoggerFactory.getLogger(ForwarderRateTest.class);
  private static final int MESSAGES = Integer.getInteger("river.kafka.rate.messages", 1_000_000);
  private static final int ROUNDS = 5;
  private static final byte[] DATA = new byte[1024];

  @TempDir Path root;

  @Test
  void shouldLogRates() throws Exception {
    Map<String, List<Double>> rates = new HashMap<>();
    try (Broker broker = Broker.in(root.resolve("broker"))) {
      for (int round = 0; round <= ROUNDS; round++) {
        double producer = producer(broker, "producer" + round);
        double once = forwarder(broker, "once" + round, Guarantee.EXACTLY_ONCE);
        double least = forwarder(broker, "least" + round, Guarantee.AT_LEAST_ONCE);
        if (round > 0) { // the first one warms up
          rates.computeIfAbsent("producer", each -> new ArrayList<>()).add(producer);
          rates.computeIfAbsent("exactly once", each -> new ArrayList<>()).add(once);
          rates.computeIfAbsent("at least once", each -> new ArrayList<>()).add(least);
          rates.computeIfAbsent("once : producer", each -> new ArrayList<>()).add(once / producer);
          rates.computeIfAbsent("once : least", each -> new ArrayList<>()).add(once / least);
        }
      }
    }
    rates.forEach(
        (what, all) -> {
          Collections.sort(all);
          LOG.warn("{}: median {}, of {}", what, all.get(all.size() / 2), all);
        });
  }

  private static double rate(long began) {
    return MESSAGES * 1e9 / (TimeSource.system().nanoTime() - began);
  }

  private static double producer(Broker broker, String topic) throws Exception {
    broker.createTopic(topic, 1);
    Map<String, Object> properties = broker.client();
    properties.put("linger.ms", 5);
    properties.put("batch.size", 256 << 10);
    properties.put("buffer.memory", 64L << 20);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.partitionsFor(topic);
      long began = TimeSource.system().nanoTime();
      for (int i = 0; i < MESSAGES; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, DATA));
      }
      producer.flush();
      return rate(began);
    }
  }

  private double forwarder(Broker broker, String topic, Guarantee guarantee) throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder(topic, MessageConverter.bytes())
            .directory(root.resolve(topic))
            .open()) {
      List<byte[]> batch = Collections.nCopies(1_000, DATA);
      for (int i = 0; i < MESSAGES; i += batch.size()) {
        queue.publisher().publishAll(batch);
      }
      queue.force();
      long began = TimeSource.system().nanoTime(); // connecting counts
      try (KafkaForwarder<byte[]> forwarder =
          KafkaForwarder.builder(queue, broker.client())
              .topic(topic)
              .guarantee(guarantee)
              .start()) {
        await()
            .atMost(Duration.ofMinutes(5))
            .pollInterval(Duration.ofMillis(5))
            .until(() -> forwarder.position() >= MESSAGES);
        return rate(began);
      }
    } finally {
      DirectoryCopy.delete(root.resolve(topic));
    }
  }
}
