package com.wookler.river.benchmarks.scale;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A queue with many subscribers, each with finished messages, is opened again, and all of them. */
final class ReopenPart implements Part {
  private static final int MESSAGES = 10;
  private static final double NANOS_A_MILLI = 1e6;

  @Override
  public String name() {
    return "reopen";
  }

  @Override
  public String about() {
    return "open a queue again, and its 1,000 subscribers";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    int count = lab.count(1_000, 10);
    Path directory = lab.fresh("reopen");
    List<Double> cpu = new ArrayList<>();
    open(directory, count);
    for (int i = 0; i < lab.rounds(5); i++) {
      cpu.add(open(directory, count));
    }
    return List.of(
        Lab.row(
            String.format(Locale.ROOT, "open again, %,d subscribers, CPU", count),
            "ms",
            Spread.of(cpu),
            "the process's CPU from open() until all subscribers are open, with ack; each finishes "
                + MESSAGES
                + " messages a round"));
  }

  /** CPU of the opening, in milliseconds. */
  private static double open(Path directory, int count) throws InterruptedException {
    long before = cpuNanos();
    try (MessageQueue<byte[]> queue = Lab.queue(directory).open()) {
      List<Subscriber<byte[]>> subscribers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        subscribers.add(
            queue.subscriber(SubscriberConfig.builder("subscriber-" + i).ack(true).build()));
      }
      double millis = (cpuNanos() - before) / NANOS_A_MILLI;
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish(new byte[100]);
      }
      for (Subscriber<byte[]> subscriber : subscribers) {
        List<Delivery<byte[]>> batch = Rates.take(subscriber, MESSAGES, 0);
        if (batch.size() != MESSAGES) {
          throw new IllegalStateException(subscriber.name() + " got " + batch.size() + " messages");
        }
        subscriber.ack(batch);
      }
      return millis;
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
