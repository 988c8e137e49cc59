package com.wookler.river.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches, each as one transaction: a topic has all of it or none, for those who read
 * committed records. Makes its producer for the first batch, and another one after a failure whose
 * outcome is not known. Thread-safe; one batch at a time.
 */
final class BatchProducer implements AutoCloseable {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final String queue;
  private final Supplier<? extends Producer<byte[], byte[]>> producers;
  private final PublishFailures failures;
  private final ReentrantLock turn = new ReentrantLock();

  @GuardedBy("turn")
  private @Nullable Producer<byte[], byte[]> producer; // in no transaction

  @GuardedBy("turn")
  private boolean closed;

  BatchProducer(String queue, Supplier<? extends Producer<byte[], byte[]>> producers) {
    this.queue = queue;
    this.producers = producers;
    this.failures = new PublishFailures(queue);
  }

  /** Returns where the first of the records is, once all are in the topic. */
  RecordMetadata send(List<ProducerRecord<byte[], byte[]>> records) {
    turn.lock();
    try {
      if (closed) {
        throw new QueueClosedException("queue " + queue + " is closed");
      }
      RecordMetadata first = prepare(records);
      commit();
      return first;
    } finally {
      turn.unlock();
    }
  }

  /** Has brokers take the records, which no consumer sees yet. */
  @GuardedBy("turn")
  private RecordMetadata prepare(List<ProducerRecord<byte[], byte[]>> records) {
    try {
      Producer<byte[], byte[]> open = open();
      open.beginTransaction();
      List<Future<RecordMetadata>> sent = new ArrayList<>(records.size());
      for (ProducerRecord<byte[], byte[]> record : records) {
        sent.add(open.send(record));
      }
      open.flush();
      for (Future<RecordMetadata> each : sent) {
        var unused = each.get();
      }
      return sent.get(0).get();
    } catch (ExecutionException e) {
      abort();
      throw failures.of(
          Objects.requireNonNullElse(e.getCause(), e), false); // none of it becomes visible
    } catch (InterruptedException e) { // flush() has waited for all
      abort();
      throw new InterruptException(e);
    } catch (KafkaException e) {
      abort();
      throw failures.of(e, false);
    }
  }

  @GuardedBy("turn")
  private Producer<byte[], byte[]> open() {
    if (producer == null) {
      Producer<byte[], byte[]> made = producers.get();
      try {
        made.initTransactions();
      } catch (RuntimeException e) {
        made.close(Duration.ZERO);
        throw e;
      }
      producer = made;
    }
    return producer;
  }

  @GuardedBy("turn")
  private void commit() {
    try {
      if (producer != null) {
        producer.commitTransaction();
      }
    } catch (KafkaException e) {
      discard();
      throw failures.of(e, true);
    }
  }

  @GuardedBy("turn")
  private void abort() {
    try {
      if (producer != null) {
        producer.abortTransaction();
      }
    } catch (KafkaException | IllegalStateException e) {
      discard(); // the brokers abort what was begun, after transaction.timeout.ms
    }
  }

  @GuardedBy("turn")
  private void discard() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
  }

  @Override
  public void close() {
    turn.lock();
    try {
      closed = true;
      if (producer != null) {
        producer.close(CLOSE);
        producer = null;
      }
    } finally {
      turn.unlock();
    }
  }
}
