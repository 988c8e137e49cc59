package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.reactor.DeliverySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Three processes of one share group, of which one is killed. */
@Tag("full")
class ShareKillTest {
  private static final int MESSAGES = Integer.getInteger("river.kafka.share.messages", 20_000);
  private static final int PARTITIONS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String TOPIC = "numbers";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldProcessEachMessageAndTwiceOnlyThoseThatWereInFlight() throws Exception {
    Path end = root.resolve("end");
    try (Broker broker = Broker.in(root.resolve("broker"))) {
      broker.createTopic(TOPIC, PARTITIONS);
      try (Child killed = child(broker, 0, end);
          Child second = child(broker, 1, end);
          Child third = child(broker, 2, end)) {
        produce(broker, 0, MESSAGES / 2);
        await()
            .atMost(PATIENCE)
            .failFast(() -> !killed.isAlive() || !second.isAlive() || !third.isAlive())
            .until(() -> Files.size(file(0)) > 0 && Files.size(file(1)) > 0);
        produce(broker, MESSAGES / 2, MESSAGES);
        assertThat(killed.kill()).isEqualTo(Child.KILLED);
        await()
            .atMost(PATIENCE)
            .failFast(() -> !second.isAlive() || !third.isAlive())
            .until(() -> distinct().cardinality() == MESSAGES);
        Files.createFile(end);
        for (Child each : List.of(second, third)) {
          assertThat(each.awaitEnd(PATIENCE)).isTrue();
          assertThat(each.exitValue()).isZero();
        }
      }
      checkTwice();
      checkNothingIsLeft(broker);
    }
  }

  private Child child(Broker broker, int number, Path end) throws IOException {
    Files.createFile(file(number));
    return Child.start(
        ShareChild.class,
        root.resolve("output" + number),
        broker.servers(),
        TOPIC,
        file(number).toString(),
        end.toString());
  }

  private Path file(int number) {
    return root.resolve("processed" + number);
  }

  private static void produce(Broker broker, int from, int to) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(broker.client(), new StringSerializer(), new StringSerializer())) {
      for (int n = from; n < to; n++) {
        var unused =
            producer.send(new ProducerRecord<>(TOPIC, n % PARTITIONS, null, Integer.toString(n)));
      }
    }
  }

  private List<Integer> processed(int number) throws IOException {
    String text = Files.readString(file(number));
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Integer::valueOf).toList();
  }

  private BitSet distinct() throws IOException {
    BitSet found = new BitSet();
    for (int number = 0; number < 3; number++) {
      processed(number).forEach(found::set);
    }
    return found;
  }

  /** Nothing comes twice but what the killed process had in flight. */
  private void checkTwice() throws IOException {
    BitSet seen = new BitSet();
    List<Integer> twice = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      for (int each : processed(number)) {
        if (seen.get(each)) {
          twice.add(each);
        }
        seen.set(each);
      }
    }
    Set<Integer> ofTheKilled = new HashSet<>(processed(0));
    assertThat(ofTheKilled).containsAll(twice);
    assertThat(twice).hasSizeLessThanOrEqualTo(ShareChild.THREADS * ShareChild.BATCH);
    assertThat(seen.cardinality()).isEqualTo(MESSAGES);
  }

  /** All are acknowledged: a further member of the group gets nothing but what is new. */
  private static void checkNothingIsLeft(Broker broker) throws Exception {
    produce(broker, MESSAGES, MESSAGES + PARTITIONS);
    List<String> left = new ArrayList<>();
    try (DeliverySource.Consumer<String> consumer =
        KafkaShare.builder(
                broker.client(), TOPIC, ShareChild.GROUP, KafkaProcessorsFixture.converter())
            .earliest()
            .build()
            .consumer(100)) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                var batch = consumer.take(Duration.ofMillis(200));
                batch.forEach(each -> left.add(each.data()));
                consumer.settle(Collections.nCopies(batch.size(), Settlement.ack()));
                return left.size() >= PARTITIONS;
              });
    }
    assertThat(left)
        .containsExactlyInAnyOrder("" + MESSAGES, "" + (MESSAGES + 1), "" + (MESSAGES + 2));
  }
}
