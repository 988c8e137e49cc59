package com.wookler.river.kafka;

import com.wookler.river.common.Completions;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes into a topic. Every publish is durable once it returns, whatever level it asks for: all
 * in-sync replicas have the message. A sequence is a partition and an offset in one number, as that
 * of a delivery of the same message, so those of a batch do not follow each other. A batch of
 * several messages is a transaction, one at a time.
 *
 * <p>Delays and expiries are refused, and ids have no window.
 *
 * @param <M> type of the data
 */
final class KafkaPublisher<M> implements Publisher<M>, AutoCloseable {
  private static final Duration CLOSE = Duration.ofSeconds(5); // and batches the same

  private final String queue;
  private final String topic;
  private final MessageConverter<M> converter;
  private final PublishFailures failures;
  private final Supplier<? extends Producer<byte[], byte[]>> producers;
  private final BatchProducer batches;
  private final Completions completions = new Completions();
  private volatile Producer<byte[], byte[]> producer; // replaced under this
  private volatile @Nullable Producer<byte[], byte[]> broken; // it is of no use any more
  private volatile boolean closed; // by any thread

  /** Creates it; the producer connects by itself. */
  KafkaPublisher(
      String queue, String topic, MessageConverter<M> converter, Map<String, Object> properties) {
    this(
        queue,
        topic,
        converter,
        () -> new KafkaProducer<>(properties),
        batches(queue, transactional(properties, topic)));
  }

  KafkaPublisher(
      String queue,
      String topic,
      MessageConverter<M> converter,
      Supplier<? extends Producer<byte[], byte[]>> producers,
      BatchProducer batches) {
    this.queue = queue;
    this.topic = topic;
    this.converter = converter;
    this.failures = new PublishFailures(queue);
    this.producers = producers;
    this.producer = producers.get();
    this.batches = batches;
  }

  private static BatchProducer batches(String queue, Map<String, Object> properties) {
    return new BatchProducer(queue, () -> new KafkaProducer<>(properties));
  }

  private static Map<String, Object> transactional(Map<String, Object> properties, String topic) {
    Map<String, Object> more = new HashMap<>(properties);
    // Another one for each publisher: none is to be shut out. The same for all producers of one:
    // each ends the transaction of the one before, for which readers would wait.
    more.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "river-" + topic + "-" + Owner.token());
    return more;
  }

  @Override
  public long publish(M data) {
    return publish(Message.of(present(data)));
  }

  @Override
  public long publish(Message<M> message) {
    return put(message, Durability.DISK).sequence();
  }

  @Override
  public long publishAll(List<M> batch) {
    return putAll(batch.stream().map(each -> Message.of(present(each))).toList(), Durability.DISK)
        .sequence();
  }

  @Override
  public PublishResult put(Message<M> message, Durability level) {
    return join(send(record(message)));
  }

  @Override
  public PublishResult putAll(List<Message<M>> batch, Durability level) {
    List<ProducerRecord<byte[], byte[]>> records = records(batch);
    return records.size() == 1 ? join(send(records.get(0))) : sendAll(records);
  }

  /**
   * Publishes as {@link Publisher#putAsync} says; but a batch of several messages is stored once
   * the call returns.
   */
  @Override
  public CompletableFuture<PublishResult> putAsync(List<Message<M>> batch, Durability level) {
    CompletableFuture<PublishResult> future = new CompletableFuture<>();
    CompletableFuture<PublishResult> sent;
    try {
      List<ProducerRecord<byte[], byte[]>> records = records(batch);
      sent =
          records.size() == 1
              ? send(records.get(0))
              : CompletableFuture.completedFuture(sendAll(records));
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    // Not on the producer's own thread, which all publishers wait for.
    var unused = sent.whenComplete((result, e) -> completions.add(() -> end(future, result, e)));
    return future;
  }

  private static void end(
      CompletableFuture<PublishResult> future,
      @Nullable PublishResult result,
      @Nullable Throwable e) {
    if (e == null) {
      future.complete(result);
    } else {
      future.completeExceptionally(e);
    }
  }

  private static PublishResult join(CompletableFuture<PublishResult> sent) {
    try {
      return sent.join(); // which no interrupt ends
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private CompletableFuture<PublishResult> send(ProducerRecord<byte[], byte[]> record) {
    requireOpen();
    CompletableFuture<PublishResult> future = new CompletableFuture<>();
    Producer<byte[], byte[]> used = usable();
    Thread caller = Thread.currentThread();
    try {
      Interrupts.defer(
          () -> {
            var unused =
                used.send(
                    record,
                    (metadata, e) -> {
                      if (e == null) {
                        future.complete(result(metadata));
                      } else { // on this thread before it was sent
                        boolean sent = Thread.currentThread() != caller;
                        future.completeExceptionally(failure(e, sent, used));
                      }
                    });
          });
    } catch (KafkaException | IllegalStateException e) {
      requireOpen();
      throw failure(e, false, used);
    }
    return future;
  }

  private RuntimeException failure(Exception e, boolean sent, Producer<byte[], byte[]> used) {
    if (KafkaErrors.isOf(e, List.of(AuthenticationException.class))) {
      broken = used; // such a producer never tries again
    }
    return failures.of(e, sent);
  }

  /** Returns the producer, another one if it is of no use any more. */
  private Producer<byte[], byte[]> usable() {
    return producer == broken ? replaced() : producer;
  }

  private synchronized Producer<byte[], byte[]> replaced() {
    Producer<byte[], byte[]> last = producer;
    if (last == broken) {
      requireOpen();
      Interrupts.defer(() -> last.close(Duration.ZERO));
      producer = producers.get();
      broken = null;
    }
    return producer;
  }

  private PublishResult sendAll(List<ProducerRecord<byte[], byte[]>> records) {
    requireOpen();
    return Interrupts.held(
        () -> {
          producer.flush(); // what this thread has sent before comes before
          return result(batches.send(records));
        });
  }

  private void requireOpen() {
    if (closed) {
      throw new QueueClosedException("queue " + queue + " is closed");
    }
  }

  private static PublishResult result(RecordMetadata metadata) {
    return PublishResult.stored(
        SourceMessages.sequence(metadata.partition(), metadata.offset()), Durability.DISK);
  }

  private List<ProducerRecord<byte[], byte[]>> records(List<Message<M>> batch) {
    if (batch.isEmpty()) {
      throw new IllegalArgumentException("queue " + queue + ": an empty batch");
    }
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>(batch.size());
    for (Message<M> each : batch) {
      records.add(record(each));
    }
    return records;
  }

  private ProducerRecord<byte[], byte[]> record(Message<M> message) {
    Message<M> checked = present(message);
    refuse(checked.delay() != null || checked.deliverAt() != null, "a delay (deliverAfter)");
    refuse(checked.expiry() != null, "an expiry (expiresAfter)");
    byte[] bytes = converter.toBytes(checked.data());
    if (bytes == null) {
      throw new RiverException(
          "queue %s: the converter %s returned null"
              .formatted(queue, converter.getClass().getName()));
    }
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, null, utf8(checked.key()), bytes);
    checked.headers().forEach(record.headers()::add);
    byte[] id = utf8(checked.id());
    if (id != null) {
      record.headers().add(RecordMapper.ID, id);
    }
    return record;
  }

  private void refuse(boolean is, String what) {
    if (is) {
      throw new RiverException(
          "queue %s: its engine is Kafka, where a message cannot have %s; publish it to a local"
                  .formatted(queue, what)
              + " queue with a <kafka-forward>");
    }
  }

  private <T> T present(@Nullable T given) {
    if (given == null) {
      throw new RiverException("queue " + queue + ": a message is null");
    }
    return given;
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private synchronized void closeProducer() {
    producer.close(CLOSE);
  }

  /** Waits for what is being published, for ten seconds. Idempotent. */
  @Override
  public void close() {
    closed = true;
    Interrupts.defer(
        () -> {
          try {
            batches.close();
          } finally {
            closeProducer();
          }
        });
  }
}
