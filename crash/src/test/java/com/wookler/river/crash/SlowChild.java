package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes more than its heap while the processors of a reactor stand still. */
final class SlowChild {
  static final int BYTES = 16 << 10;
  static final int THREADS = 4;
  static final int BATCH = 64;
  static final String DONE = "SlowChild is done";

  private static final Logger LOG = LoggerFactory.getLogger(SlowChild.class);

  private static final int FIRST = 1_000;

  private SlowChild() {}

  /** Arguments: directory, messages. */
  public static void main(String[] args) {
    int messages = Integer.parseInt(args[1]);
    CountDownLatch go = new CountDownLatch(1);
    AtomicLong bytes = new AtomicLong();
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("slow", MessageConverter.bytes()).directory(Path.of(args[0])).open()) {
      Subscriber<byte[]> subscriber =
          queue.subscriber(SubscriberConfig.builder("slow").ack(true).build());
      publish(queue, FIRST);
      try (Reactor<byte[]> reactor =
          Reactor.builder(subscriber)
              .processor(
                  "slow",
                  delivery -> {
                    bytes.addAndGet(delivery.data().length);
                    go.await();
                    return ProcessResult.done();
                  })
              .threads(THREADS)
              .batchSize(BATCH)
              .timeLimit(Duration.ofMinutes(5))
              .start()) {
        while (subscriber.stats().inFlight() < THREADS * BATCH) {
          LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        publish(queue, messages - FIRST);
        long inFlight = subscriber.stats().inFlight();
        go.countDown();
        while (reactor.stats().finished() < messages) {
          LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        LOG.warn("{}: {} in flight, {} bytes", DONE, inFlight, bytes);
      }
    } catch (Throwable e) {
      LOG.error("failed", e);
      Runtime.getRuntime().halt(1);
    }
  }

  private static void publish(MessageQueue<byte[]> queue, int messages) {
    for (int i = 0; i < messages; i += 10) {
      queue.publisher().publishAll(Collections.nCopies(10, new byte[BYTES]));
    }
  }
}
