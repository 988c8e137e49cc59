package com.wookler.river.kafka;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.DeliverySource;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** The processors of {@link ProcessorContract} on a topic. */
abstract class KafkaProcessorsFixture extends ProcessorContract {
  final Broker broker = Broker.shared();
  private String topic;

  abstract DeliverySource<String> of(Map<String, Object> properties, String topic);

  @Override
  DeliverySource<String> source(String unique) throws Exception {
    topic = unique;
    broker.createTopic(topic, 1);
    return of(broker.client(), topic);
  }

  @Override
  void publish(String key, List<String> texts) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(broker.client(), new StringSerializer(), new StringSerializer())) {
      for (String text : texts) {
        var unused = producer.send(new ProducerRecord<>(topic, key, text));
      }
    }
  }

  @Override
  Map<String, String> deadLetters() {
    Map<String, String> letters = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(topic + "-group-" + topic + "-dead")) {
      letters.put(
          new String(record.value(), StandardCharsets.UTF_8),
          new String(record.headers().lastHeader("river-reason").value(), StandardCharsets.UTF_8));
    }
    return letters;
  }

  static MessageConverter<String> converter() {
    return MessageConverter.utf8();
  }
}
