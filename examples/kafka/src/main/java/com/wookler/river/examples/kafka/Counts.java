package com.wookler.river.examples.kafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Which numbers there are.
 *
 * @param distinct how many
 * @param twice how often one came that was there before
 */
record Counts(int distinct, int twice) {
  private static final Duration POLL = Duration.ofMillis(200);

  static Counts of(List<Integer> numbers) {
    BitSet seen = new BitSet();
    numbers.forEach(seen::set);
    return new Counts(seen.cardinality(), numbers.size() - seen.cardinality());
  }

  /** Returns the numbers in a file, a line each; a last line that was cut by a kill is none. */
  static List<Integer> inFile(Path file) throws IOException {
    String text = Files.exists(file) ? Files.readString(file) : "";
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Integer::valueOf).toList();
  }

  /** Returns the numbers in a topic, as consumers find them that read committed records only. */
  static List<Integer> inTopic(Map<String, Object> client, String topic) {
    Map<String, Object> properties = new HashMap<>(client);
    properties.put("isolation.level", "read_committed");
    List<Integer> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream()
          .anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          found.add(Integer.valueOf(new String(record.value(), StandardCharsets.UTF_8)));
        }
      }
    }
    return found;
  }
}
