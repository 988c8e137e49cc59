package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.ReactorStats;
import com.wookler.river.reactor.processors.QueueProcessor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reactor with eight threads whose first processor fails at random, throws errors, and hangs; the
 * second one writes each sequence to a ledger, the third publishes into another queue. What fails
 * depends on the message and its attempt only.
 */
final class ReactorChild {
  static final String SOURCE = "reactor-source";
  static final String TARGET = "reactor-target";
  static final String SUBSCRIBER = "work";
  static final String DONE = "ReactorChild is done";
  static final int THREADS = 8;
  static final int BATCH = 64;
  static final int KEYED_BATCH = 8;
  static final int MAX_DELIVERIES = 12;

  private static final Logger LOG = LoggerFactory.getLogger(ReactorChild.class);
  private static final long HANGS = 1_234; // until it is interrupted
  private static final int HANGS_EVERY = 12_345; // behind that, for longer than its message's time
  private static final Duration LONG = Duration.ofSeconds(5);

  private ReactorChild() {}

  /** Arguments: directory, ledger, order. */
  public static void main(String[] args) {
    Path directory = Path.of(args[0]);
    try (FileChannel ledger =
            FileChannel.open(
                Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        MessageQueue<String> target = target(directory);
        MessageQueue<String> source = source(directory)) {
      LOG.info("{} goes into {}", source.name(), target.name());
      run(source.subscriber(config(Order.valueOf(args[2]))), ledger);
    } catch (Throwable e) {
      LOG.error("failed", e);
      Runtime.getRuntime().halt(1);
    }
  }

  static MessageQueue<String> source(Path directory) {
    return MessageQueue.builder(SOURCE, MessageConverter.utf8()).directory(directory).open();
  }

  static MessageQueue<String> target(Path directory) {
    return MessageQueue.builder(TARGET, MessageConverter.utf8())
        .directory(directory)
        .deduplicate(Duration.ofDays(1))
        .open();
  }

  static SubscriberConfig config(Order order) {
    return SubscriberConfig.builder(SUBSCRIBER)
        .ack(true)
        .ackTimeout(Duration.ofSeconds(4))
        .maxDeliveries(MAX_DELIVERIES)
        .order(order)
        .build();
  }

  /** Whether no attempt ever succeeds. */
  static boolean isPoisoned(long sequence) {
    return mixed(sequence) % 2_000 == 0;
  }

  /** How many messages hang at their first attempt. */
  static long hangs() {
    return Counts.REACTOR / HANGS_EVERY + 1L;
  }

  private static long mixed(long value) {
    long mixed = value * 0x9E3779B97F4A7C15L;
    return (mixed ^ (mixed >>> 29)) >>> 1;
  }

  private static void run(Subscriber<String> subscriber, FileChannel ledger) {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor("chaos", ReactorChild::chaos)
            .batchProcessor("ledger", writing(ledger))
            .batchProcessor("forward", new QueueProcessor<>(TARGET, Durability.MEMORY))
            .threads(THREADS)
            .batchSize(subscriber.config().order() == Order.KEY ? KEYED_BATCH : BATCH)
            .timeLimit(Duration.ofSeconds(1))
            .start()) {
      while (subscriber.stats().lag() > 0) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
      ReactorStats stats = reactor.stats();
      LOG.warn("{}: {}", DONE, stats);
      reactor.close(Duration.ofSeconds(2)); // one hangs
    }
  }

  private static ProcessResult<String> chaos(Delivery<String> delivery) throws Exception {
    long sequence = delivery.sequence();
    if (sequence % HANGS_EVERY == HANGS && delivery.attempt() == 1) {
      hang(sequence);
    }
    long dice = mixed(sequence * 31 + delivery.attempt());
    if (isPoisoned(sequence) || (dice % 25 == 0 && delivery.attempt() < 4)) {
      throw new IOException("at random");
    }
    if (dice % 3_001 == 0 && delivery.attempt() < 4) {
      throw new StackOverflowError("at random");
    }
    return ProcessResult.pass();
  }

  private static void hang(long sequence) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    if (sequence == HANGS) {
      never.await();
    }
    if (never.await(LONG.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("nobody counts it down");
    }
  }

  private static BatchProcessor<String> writing(FileChannel ledger) {
    return batch -> {
      ByteBuffer sequences = ByteBuffer.allocate(Integer.BYTES * batch.size());
      List<Delivery<String>> all = batch;
      all.forEach(delivery -> sequences.putInt((int) delivery.sequence()));
      sequences.flip();
      synchronized (ledger) {
        while (sequences.hasRemaining()) {
          ledger.write(sequences);
        }
      }
      return Collections.nCopies(batch.size(), ProcessResult.pass());
    };
  }
}
