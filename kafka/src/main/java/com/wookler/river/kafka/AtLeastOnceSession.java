package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Sends without transactions: a message is acknowledged once the topic has it.
 *
 * <p>A key keeps its order also where a record fails and those that were sent with it are sent
 * again: nothing that comes after it may be in the topic by then. So one request is on its way to a
 * broker at a time ({@code max.in.flight.requests.per.connection}), and a producer of which a
 * record has failed at a broker is closed by its own thread, before that sends anything else.
 */
final class AtLeastOnceSession implements ForwardSession {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final MessageQueue<?> queue;
  private final String topic;
  private final Supplier<? extends Producer<byte @Nullable [], byte[]>> producers;
  private Producer<byte @Nullable [], byte[]> producer; // replaced after a refusal by a broker

  AtLeastOnceSession(MessageQueue<?> queue, ForwardProperties properties, String topic) {
    this(queue, topic, () -> new KafkaProducer<>(properties.producer()));
  }

  private AtLeastOnceSession(
      MessageQueue<?> queue,
      String topic,
      Supplier<? extends Producer<byte @Nullable [], byte[]>> producers) {
    this.queue = queue;
    this.topic = topic;
    this.producers = producers;
    this.producer = producers.get();
  }

  @Override
  public long open(long lowWatermark) {
    ForwardSession.requireTopic(producer, topic);
    return lowWatermark;
  }

  @Override
  public @Nullable Exception send(List<? extends Outgoing<?>> batch, long next) {
    Sending sending = new Sending(producer);
    for (Outgoing<?> each : batch) {
      if (sending.failure.get() != null) {
        break;
      }
      if (!each.isPresent()) {
        sending.send(each);
      }
    }
    queue.force(); // else another message could get the sequence of one that the topic has
    producer.flush();
    Exception failed = sending.failure.get();
    if (failed != null && !KafkaErrors.isRefusal(failed)) {
      throw failed instanceof KafkaException e ? e : new KafkaException(failed);
    }
    if (sending.ended) {
      producer.close(Duration.ZERO);
      producer = producers.get();
    }
    return failed;
  }

  /** One batch, until its first failure. */
  private static final class Sending {
    private final SendFailure failure = new SendFailure();
    private final Producer<byte @Nullable [], byte[]> producer;
    private final Thread caller = Thread.currentThread();
    private volatile boolean ended; // the producer, by its own thread

    private Sending(Producer<byte @Nullable [], byte[]> producer) {
      this.producer = producer;
    }

    private void send(Outgoing<?> each) {
      try {
        var unused = producer.send(each.record(), (metadata, e) -> completed(each, e));
      } catch (KafkaException | IllegalStateException e) {
        if (!ended) {
          throw e;
        }
      }
    }

    private void completed(Outgoing<?> each, @Nullable Exception e) {
      if (e == null) {
        each.setPresent();
        return;
      }
      failure.add(e);
      if (Thread.currentThread() != caller && !ended) { // else nothing was sent after it
        ended = true;
        producer.close(Duration.ZERO);
      }
    }
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
