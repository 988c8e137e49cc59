package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that are interrupted, or closed while they are sent. */
@Timeout(60)
class BatchProducerTest {
  private static final List<ProducerRecord<byte[], byte[]>> BATCH =
      List.of(
          new ProducerRecord<>("topic", new byte[] {1}),
          new ProducerRecord<>("topic", new byte[] {2}));

  private final List<Scripted> made = new CopyOnWriteArrayList<>();
  private final BatchProducer batches =
      new BatchProducer("orders", this::make, Duration.ofMillis(1));
  private int interrupts; // that the next producer's commits meet
  private boolean waits; // for its close, in flush

  /** A producer that interrupts end as they end Kafka's own. */
  private static final class Scripted extends MockProducer<byte[], byte[]> {
    private final CountDownLatch flushing = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final boolean waits;
    private int interrupts;

    private Scripted(int interrupts, boolean waits) {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
      this.interrupts = interrupts;
      this.waits = waits;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it waits for the thread that closes
    public void flush() {
      super.flush();
      if (waits) {
        flushing.countDown();
        try {
          closing.await();
        } catch (InterruptedException e) {
          throw new InterruptException(e);
        }
        throw new KafkaException("closed");
      }
    }

    @Override
    public void commitTransaction() {
      if (interrupts-- > 0) {
        throw new InterruptException("while it commits"); // and sets the flag
      }
      super.commitTransaction();
    }

    @Override
    public void close(Duration wait) {
      closing.countDown();
      super.close(wait);
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptException("while it closes");
      }
    }
  }

  private Scripted make() {
    Scripted producer = new Scripted(interrupts, waits);
    made.add(producer);
    return producer;
  }

  @AfterEach
  void close() {
    boolean unused = Thread.interrupted();
    batches.close();
  }

  @Test
  void shouldCompleteABatchThatIsInterrupted() {
    interrupts = 1;
    var first = batches.send(BATCH);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(first.offset()).isZero();
    assertThat(made.get(0).commitCount()).isEqualTo(1);
  }

  @Test
  void shouldSayThatTheEndIsNotKnownAndContinueWithAnotherProducer() {
    interrupts = 1_000;
    assertThatThrownBy(() -> batches.send(BATCH))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("not known");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(made.get(0).closed()).isTrue();
    interrupts = 0;
    assertThat(batches.send(BATCH).offset()).isZero();
    assertThat(made).hasSize(2);
    assertThat(made.get(1).commitCount()).isEqualTo(1);
  }

  @Test
  void shouldCloseWithoutWaitingForBatches() throws Exception {
    waits = true;
    CompletableFuture<?> sending = CompletableFuture.runAsync(() -> batches.send(BATCH));
    while (made.isEmpty()) {
      Thread.onSpinWait();
    }
    made.get(0).flushing.await();
    CompletableFuture<?> queued = CompletableFuture.runAsync(() -> batches.send(BATCH));
    batches.close();
    assertThatThrownBy(sending::join)
        .hasCauseInstanceOf(RiverException.class)
        .hasMessageContaining("nothing was stored");
    assertThatThrownBy(queued::join).hasCauseInstanceOf(QueueClosedException.class);
    assertThat(made).hasSize(1);
    assertThat(made.get(0).closed()).isTrue();
    assertThatThrownBy(() -> batches.send(BATCH)).isInstanceOf(QueueClosedException.class);
  }
}
