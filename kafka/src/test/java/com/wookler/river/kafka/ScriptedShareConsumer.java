package com.wookler.river.kafka;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Kafka's consumer of share groups by a script of polls, for what several brokers do and one does
 * not: it throws as the real one does if a record that it gave is not acknowledged at the next
 * poll.
 */
final class ScriptedShareConsumer implements InvocationHandler {
  static final String TOPIC = "scripted";

  final Map<Long, AcknowledgeType> acknowledged = new HashMap<>();
  Duration lock = Duration.ofHours(1);
  private final Deque<List<Long>> polls = new ArrayDeque<>();
  private final List<Long> open = new ArrayList<>();

  /** Adds what a further poll returns: offsets in partition 0. */
  ScriptedShareConsumer poll(Long... offsets) {
    polls.add(List.of(offsets));
    return this;
  }

  @SuppressWarnings("unchecked") // of a proxy
  ShareConsumer<byte[], byte[]> consumer() {
    return (ShareConsumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {ShareConsumer.class}, this);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "poll" -> poll();
      case "acknowledge" -> {
        long offset = ((ConsumerRecord<?, ?>) arguments[0]).offset();
        if (!open.remove(offset)) {
          throw new IllegalStateException("The record cannot be acknowledged.");
        }
        acknowledged.put(offset, (AcknowledgeType) arguments[1]);
        yield null;
      }
      case "commitSync" -> committed();
      case "acquisitionLockTimeoutMs" -> Optional.of((int) lock.toMillis());
      case "close" -> null;
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }

  private ConsumerRecords<byte[], byte[]> poll() {
    if (!open.isEmpty()) {
      throw new IllegalStateException(
          "All records must be acknowledged in explicit acknowledgement mode.");
    }
    List<Long> offsets = polls.isEmpty() ? List.of() : polls.remove();
    open.addAll(offsets);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (long offset : offsets) {
      byte[] value = ("m" + offset).getBytes(StandardCharsets.UTF_8);
      records.add(new ConsumerRecord<>(TOPIC, 0, offset, null, value));
    }
    return new ConsumerRecords<>(Map.of(new TopicPartition(TOPIC, 0), records), Map.of());
  }

  private static Map<TopicIdPartition, Optional<KafkaException>> committed() {
    return Map.of(new TopicIdPartition(Uuid.ONE_UUID, 0, TOPIC), Optional.empty());
  }
}
