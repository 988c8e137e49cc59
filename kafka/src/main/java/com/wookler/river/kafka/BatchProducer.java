package com.wookler.river.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.core.message.QueueClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends batches, each as one transaction: a topic has all of it or none, for those who read
 * committed records. Makes its producer for the first batch, and another one after a failure whose
 * outcome is not known. An interrupt waits until a batch has ended. Thread-safe; one batch at a
 * time.
 */
final class BatchProducer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BatchProducer.class);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int TRIES = 5; // a thread that is interrupted more often is to end

  private final String queue;
  private final Supplier<? extends Producer<byte[], byte[]>> producers;
  private final PublishFailures failures;
  private final Duration patience;
  private final ReentrantLock turn = new ReentrantLock();

  private volatile @Nullable Producer<byte[], byte[]> producer; // written under the lock
  private volatile boolean closed; // by any thread

  /**
   * Creates it.
   *
   * @param producers of one transactional id, so that each ends what the one before has left
   */
  BatchProducer(String queue, Supplier<? extends Producer<byte[], byte[]>> producers) {
    this(queue, producers, CLOSE);
  }

  /** Creates it in the same way; closing waits so long for the batch that is being sent. */
  BatchProducer(
      String queue, Supplier<? extends Producer<byte[], byte[]>> producers, Duration patience) {
    this.queue = queue;
    this.producers = producers;
    this.failures = new PublishFailures(queue);
    this.patience = patience;
  }

  /** Returns where the first of the records is, once all are in the topic. */
  RecordMetadata send(List<ProducerRecord<byte[], byte[]>> records) {
    turn.lock();
    try {
      requireOpen();
      RecordMetadata first = prepare(records);
      commit();
      return first;
    } finally {
      turn.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new QueueClosedException("queue " + queue + " is closed");
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
      completed(open::flush);
      return Interrupts.held(() -> results(sent));
    } catch (QueueClosedException e) {
      throw e;
    } catch (ExecutionException e) {
      abort();
      throw failures.of(
          Objects.requireNonNullElse(e.getCause(), e), false); // none of it becomes visible
    } catch (RuntimeException e) {
      abort();
      throw failures.of(e, false);
    }
  }

  private static RecordMetadata results(List<Future<RecordMetadata>> sent)
      throws ExecutionException {
    try {
      for (Future<RecordMetadata> each : sent) {
        var unused = each.get();
      }
      return sent.get(0).get();
    } catch (InterruptedException e) { // flush() has waited for all
      throw new InterruptException(e);
    }
  }

  @GuardedBy("turn")
  private Producer<byte[], byte[]> open() {
    Producer<byte[], byte[]> open = producer;
    if (open != null) {
      return open;
    }
    Producer<byte[], byte[]> made = producers.get();
    producer = made; // so that close() can end what follows
    try {
      requireOpen();
      made.initTransactions();
      return made;
    } catch (RuntimeException e) {
      discard();
      throw e;
    }
  }

  @GuardedBy("turn")
  private void commit() {
    Producer<byte[], byte[]> open = producer;
    try {
      if (open != null) {
        completed(open::commitTransaction);
      }
    } catch (RuntimeException e) {
      discard();
      throw failures.of(e, true);
    }
  }

  @GuardedBy("turn")
  private void abort() {
    Producer<byte[], byte[]> open = producer;
    try {
      if (open != null) {
        completed(open::abortTransaction);
      }
    } catch (RuntimeException e) {
      discard(); // the next producer ends what was begun
    }
  }

  /** Makes a call that may be repeated after an interrupt, and keeps the interrupt meanwhile. */
  private static void completed(Runnable call) {
    boolean interrupted = Thread.interrupted();
    try {
      for (int tries = 1; ; tries++) {
        try {
          call.run();
          return;
        } catch (InterruptException e) {
          interrupted = true;
          if (!Thread.interrupted() || tries == TRIES) {
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @GuardedBy("turn")
  private void discard() {
    Producer<byte[], byte[]> last = producer;
    producer = null;
    close(last, Duration.ZERO);
  }

  private void close(@Nullable Producer<byte[], byte[]> last, Duration wait) {
    if (last != null) {
      Interrupts.defer(
          () -> {
            try {
              last.close(wait);
            } catch (RuntimeException e) {
              LOG.warn("Queue {}: a producer of batches was not closed cleanly", queue, e);
            }
          });
    }
  }

  /** Waits for the batch that is being sent, for five seconds, and ends it then. Idempotent. */
  @Override
  public void close() {
    closed = true;
    if (tryTurn()) {
      try {
        Producer<byte[], byte[]> last = producer;
        producer = null;
        close(last, patience);
      } finally {
        turn.unlock();
      }
    } else {
      close(producer, Duration.ZERO); // its thread forgets it
    }
  }

  private boolean tryTurn() {
    try {
      return turn.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
