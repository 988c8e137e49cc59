package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.testing.CapturedLog;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker that is away for long while 5,000 messages a second are published. Logs the times of
 * publishes, the heap, the lines in the log and the rate of catching up; in a long form it holds
 * them to limits, for which the machine must be quiet. Of ten minutes:
 *
 * <pre>mvn -q -DskipChecks -pl kafka -am test -Dtest=ForwarderOutageTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Driver.tests.excluded=
 *     -Driver.kafka.outage.seconds=600</pre>
 */
@Tag("full")
class ForwarderOutageTest {
  private static final Logger LOG = LoggerFactory.getLogger(ForwarderOutageTest.class);
  private static final int SECONDS = Integer.getInteger("river.kafka.outage.seconds", 5);
  private static final boolean HELD = SECONDS >= 60; // to the limits that need a quiet machine
  private static final int RATE = 5_000;
  private static final int KEYS = 97;
  private static final int WARM = 10_000;
  private static final double LONGER = 1.2;
  private static final long MORE_HEAP = 20L << 20;
  private static final int FASTER = 5;

  @TempDir Path directory;

  private final TimeSource time = TimeSource.system();
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private int published;

  /** Times of publishes, by tenths of a microsecond up to ten milliseconds. */
  private static final class Times {
    private final int[] counts = new int[100_001];
    private long all;

    void add(long nanos) {
      counts[(int) Math.min(counts.length - 1, nanos / 100)]++;
      all++;
    }

    double micros(double part) {
      long left = (long) Math.ceil(all * part);
      int at = 0;
      for (left -= counts[0]; left > 0; left -= counts[at]) {
        at++;
      }
      return at / 10.0;
    }

    @Override
    public String toString() {
      return "p50 %.1f us, p99 %.1f us, p99.9 %.1f us"
          .formatted(micros(0.5), micros(0.99), micros(0.999));
    }
  }

  private Times publish(MessageQueue<byte[]> queue, int messages) {
    Times times = new Times();
    long start = time.nanoTime();
    for (int n = 0; n < messages; n++) {
      long due = start + n * TimeUnit.SECONDS.toNanos(1) / RATE;
      for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
        time.park(this, left);
      }
      byte[] data = ByteBuffer.allocate(200).putInt(published).array();
      Message<byte[]> message = Message.of(data).withKey("key" + published % KEYS);
      long began = time.nanoTime();
      long sequence = queue.publisher().publish(message);
      times.add(time.nanoTime() - began);
      assertThat(sequence).isEqualTo(published);
      published++;
    }
    return times;
  }

  private long heap() {
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  @Test
  void shouldPublishAsBeforeAndCatchUp() throws Exception {
    try (Broker broker = Broker.in(directory.resolve("broker"));
        MessageQueue<byte[]> queue =
            MessageQueue.builder("orders", MessageConverter.bytes())
                .directory(directory.resolve("queue"))
                .open()) {
      broker.createTopic("orders", 3);
      try (KafkaForwarder<byte[]> forwarder =
          KafkaForwarder.builder(queue, broker.client()).topic("orders").start()) {
        publish(queue, WARM);
        awaitLag(forwarder);
        Times before = publish(queue, RATE * SECONDS);
        awaitLag(forwarder);
        Times away = publishWithout(broker, queue, forwarder);
        double rate = catchUp(broker, forwarder);
        LOG.warn("{} s with a broker: {}; without: {}", SECONDS, before, away);
        if (HELD) {
          assertThat(away.micros(0.99)).isLessThanOrEqualTo(before.micros(0.99) * LONGER);
          assertThat(rate).isGreaterThanOrEqualTo((double) FASTER * RATE);
        }
        assertThat(forwarder.stats().rejected()).isZero();
      }
      requireEachOnceInOrder(broker);
    }
  }

  private static void awaitLag(KafkaForwarder<?> forwarder) {
    await().atMost(Duration.ofMinutes(10)).until(() -> forwarder.stats().lag() == 0);
  }

  private Times publishWithout(
      Broker broker, MessageQueue<byte[]> queue, KafkaForwarder<?> forwarder) throws Exception {
    try (CapturedLog log = new CapturedLog("com.wookler.river")) {
      broker.kill();
      await().atMost(Duration.ofMinutes(1)).until(forwarder::isAway);
      long heapBefore = heap();
      Times times = publish(queue, RATE * SECONDS);
      long more = heap() - heapBefore;
      List<String> lines = log.warnings();
      LOG.warn("{} lines in the log, {} KiB of heap more", lines.size(), more >> 10);
      assertThat(lines).hasSizeLessThanOrEqualTo(2 + SECONDS / 60);
      if (HELD) {
        assertThat(more).isLessThan(MORE_HEAP);
      }
      return times;
    }
  }

  private double catchUp(Broker broker, KafkaForwarder<?> forwarder) throws Exception {
    long waiting = forwarder.stats().lag();
    assertThat(waiting).isGreaterThanOrEqualTo((long) RATE * SECONDS);
    broker.start();
    await().atMost(Duration.ofMinutes(1)).until(() -> !forwarder.isAway());
    long began = time.nanoTime();
    awaitLag(forwarder);
    double rate = waiting * 1e9 / (time.nanoTime() - began);
    LOG.warn("{} messages waited, and were forwarded at {} a second", waiting, Math.round(rate));
    return rate;
  }

  private void requireEachOnceInOrder(Broker broker) {
    int[] last = new int[KEYS];
    Arrays.fill(last, -1);
    int[] found = {0};
    broker.forEach(
        "orders",
        each -> {
          int number = ByteBuffer.wrap(each.value()).getInt();
          int before = last[number % KEYS];
          assertThat(number).isEqualTo(before < 0 ? number % KEYS : before + KEYS);
          last[number % KEYS] = number;
          found[0]++;
        });
    assertThat(found[0]).isEqualTo(published);
  }
}
