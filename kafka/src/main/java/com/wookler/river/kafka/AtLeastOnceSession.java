package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Sends without transactions: a message is acknowledged once the topic has it. */
final class AtLeastOnceSession implements ForwardSession {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final MessageQueue<?> queue;
  private final String topic;
  private final KafkaProducer<byte @Nullable [], byte[]> producer;

  AtLeastOnceSession(MessageQueue<?> queue, ForwardProperties properties, String topic) {
    this.queue = queue;
    this.topic = topic;
    this.producer = new KafkaProducer<>(properties.producer());
  }

  @Override
  public long open(long lowWatermark) {
    ForwardSession.requireTopic(producer, topic);
    return lowWatermark;
  }

  @Override
  public @Nullable Exception send(List<? extends Outgoing<?>> batch, long next) {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    for (Outgoing<?> each : batch) {
      if (failure.get() != null) {
        break;
      }
      if (!each.isPresent()) {
        var unused =
            producer.send(
                each.record(),
                (metadata, e) -> {
                  if (e == null) {
                    each.setPresent();
                  } else {
                    failure.compareAndSet(null, e);
                  }
                });
      }
    }
    queue.force(); // else another message could get the sequence of one that the topic has
    producer.flush();
    Exception failed = failure.get();
    if (failed != null && !KafkaErrors.isRefusal(failed)) {
      throw failed instanceof KafkaException e ? e : new KafkaException(failed);
    }
    return failed;
  }

  @Override
  public void idle(long next) {}

  @Override
  public void close() {
    producer.close(CLOSE);
  }

  @Override
  public void abandon() {
    producer.close(Duration.ZERO);
  }
}
