package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The same messages through {@code batch(64)} with {@code ack}, and through a reactor with one
 * thread and an empty processor, in turn; who begins changes with each round. The first round
 * counts for nothing.
 *
 * @param count messages of a round
 * @param size of each, in bytes
 * @param rounds that count
 */
record Throughput(int count, int size, int rounds) {
  private static final int BATCH = 64;
  private static final int LOT = 1_000;
  private static final String LINE = "%s through an empty processor";
  private static final String ALONE = "batch(64) and ack";
  private static final String UNIT = "msg/s";
  private static final String CPU = "CPU µs/msg";
  private static final TimeSource TIME = TimeSource.system();

  /** Takes all messages of a subscriber. */
  @FunctionalInterface
  private interface Way {
    void take(Subscriber<byte[]> subscriber) throws Exception;
  }

  /** What the rounds of one way brought. */
  private static final class Figures {
    private final double[] rates;
    private final double[] cpu;

    Figures(int rounds) {
      this.rates = new double[rounds];
      this.cpu = new double[rounds];
    }

    Map<String, Double> extra() {
      double[] sorted = cpu.clone();
      Arrays.sort(sorted);
      return Map.of(CPU, Rows.median(sorted));
    }
  }

  List<Row> measure(Path base) throws Exception {
    MessageQueue<byte[]> queue =
        MessageQueue.builder("throughput", MessageConverter.bytes()).directory(base).open();
    try {
      Figures alone = new Figures(rounds);
      Figures reactor = new Figures(rounds);
      for (int round = -1; round < rounds; round++) {
        if (round % 2 == 0) {
          take(queue, round, alone, this::byBatches);
          take(queue, round, reactor, this::byReactor);
        } else {
          take(queue, round, reactor, this::byReactor);
          take(queue, round, alone, this::byBatches);
        }
      }
      String line = LINE.formatted(size % 1024 == 0 ? size / 1024 + " KiB" : size + " B");
      Row other = Rows.of(line, ALONE, UNIT, alone.rates, alone.extra());
      return List.of(
          other, Rows.beside(line, UNIT, reactor.rates, other, alone.rates, reactor.extra()));
    } finally {
      queue.delete();
    }
  }

  private void take(MessageQueue<byte[]> queue, int round, Figures figures, Way way)
      throws Exception {
    try (Subscriber<byte[]> subscriber =
        queue.subscriber(
            SubscriberConfig.builder("bench").ack(true).start(Position.latest()).build())) {
      List<byte[]> lot = Collections.nCopies(LOT, new byte[size]);
      for (int left = count; left > 0; left -= LOT) {
        queue.publisher().publishAll(left < LOT ? lot.subList(0, left) : lot);
      }
      long cpu = Effort.cpuNanos();
      long start = TIME.nanoTime();
      way.take(subscriber);
      if (round >= 0) {
        figures.rates[round] = count * 1e9 / (TIME.nanoTime() - start);
        figures.cpu[round] = (Effort.cpuNanos() - cpu) / 1e3 / count;
      }
    } finally {
      queue.removeSubscriber("bench");
    }
  }

  private void byBatches(Subscriber<byte[]> subscriber) throws InterruptedException {
    int taken = 0;
    long bytes = 0;
    while (taken < count) {
      List<Delivery<byte[]>> batch = subscriber.batch(BATCH, Duration.ofSeconds(1));
      for (Delivery<byte[]> delivery : batch) {
        bytes += delivery.data().length;
      }
      subscriber.ack(batch);
      taken += batch.size();
    }
    check(bytes);
  }

  private void byReactor(Subscriber<byte[]> subscriber) {
    AtomicLong bytes = new AtomicLong(); // of one thread, and not contended
    try (Reactor<byte[]> reactor =
        Reactor.builder(subscriber)
            .batchSize(BATCH)
            .processor(
                "empty",
                delivery -> {
                  bytes.lazySet(bytes.get() + delivery.data().length);
                  return ProcessResult.done();
                })
            .start()) {
      while (reactor.stats().finished() < count) {
        TIME.park(this, TimeUnit.MICROSECONDS.toNanos(200));
      }
    }
    check(bytes.get());
  }

  private void check(long bytes) {
    if (bytes != (long) count * size) {
      throw new IllegalStateException(bytes + " bytes came of " + (long) count * size);
    }
  }
}
