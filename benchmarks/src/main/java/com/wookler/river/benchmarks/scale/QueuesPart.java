package com.wookler.river.benchmarks.scale;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Many queues in one JVM, each with a subscriber, a message that was finished, and no work. */
final class QueuesPart implements Part {
  private static final String NOTE =
      "each with a subscriber with ack and one message, finished; the disk by du; defaults";
  private static final double NANOS_A_MILLI = 1e6;
  private static final double KILOBYTE = 1e3;

  @Override
  public String name() {
    return "queues";
  }

  @Override
  public String about() {
    return "1,000 quiet queues in one JVM: threads, heap, disk, descriptors, CPU, time to open one";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    int count = lab.count(1_000, 10);
    Path directory = lab.fresh("queues");
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    try {
      openAndUse(directory, "first", lab); // classes and pools are there afterwards
      int threads = threads();
      long heap = Heap.used();
      long descriptors = descriptors();
      double[] made = openAll(queues, directory, count);
      for (MessageQueue<byte[]> queue : queues) {
        use(queue);
      }
      queues.get(0).force();
      String line = String.format(Locale.ROOT, "%,d queues", count);
      addTimes(rows, line + ", make one", made);
      rows.add(row(line + ", threads of the JVM", "threads", threads()));
      rows.add(row("no queues, threads of the JVM", "threads", threads));
      double each = (double) (Heap.used() - heap) / count;
      rows.add(row(line + ", heap each", "KB", each / KILOBYTE));
      double cpu = cpuMillisASecond(lab);
      double disk = (double) DiskUse.of(directory) / count;
      rows.add(row(line + ", disk each", "KB", disk / KILOBYTE));
      rows.add(row(line + ", CPU while quiet", "ms/s", cpu));
      double open = (double) (descriptors() - descriptors) / count;
      rows.add(row(line + ", descriptors each", "descriptors", open));
      queues.forEach(MessageQueue::close);
      queues.clear();
      addTimes(rows, line + ", open one again", openAll(queues, directory, count));
      return rows;
    } finally {
      queues.forEach(MessageQueue::close);
    }
  }

  /** How long each took, in milliseconds. */
  private static double[] openAll(List<MessageQueue<byte[]>> queues, Path directory, int count) {
    double[] millis = new double[count];
    for (int i = 0; i < count; i++) {
      long started = System.nanoTime();
      queues.add(open(directory, "queue-" + i));
      millis[i] = (System.nanoTime() - started) / NANOS_A_MILLI;
    }
    return millis;
  }

  private static Row row(String line, String unit, double value) {
    return Lab.row(line, unit, Spread.of(value), NOTE);
  }

  private static void addTimes(List<Row> rows, String line, double[] millis) {
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    rows.add(Lab.row(line, "ms", Spread.of(millis), NOTE + "; a round is a queue"));
    rows.add(row(line + ", p99", "ms", sorted[(int) (sorted.length * 0.99)]));
  }

  private static MessageQueue<byte[]> open(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.bytes())
        .directory(directory)
        .backup(directory.resolveSibling("queues-backup"), Duration.ofHours(1))
        .subscriber(SubscriberConfig.builder("worker").ack(true).build())
        .open();
  }

  private static void openAndUse(Path directory, String name, Lab lab) throws Exception {
    for (int i = 0; i < lab.count(20, 1); i++) {
      MessageQueue<byte[]> queue = open(directory, name);
      use(queue);
      queue.delete();
    }
  }

  private static void use(MessageQueue<byte[]> queue) throws InterruptedException {
    queue.publisher().publish(new byte[100]);
    Subscriber<byte[]> subscriber = queue.subscriber("worker");
    for (Delivery<byte[]> delivery : Rates.take(subscriber, Rates.BATCH, 0)) {
      delivery.ack();
    }
    if (subscriber.stats().lag() != 0) {
      throw new IllegalStateException(queue + ": " + subscriber.stats());
    }
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** Of this process; 0 where the system does not say. */
  private static long descriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? system.getOpenFileDescriptorCount()
        : 0;
  }

  private static double cpuMillisASecond(Lab lab) throws InterruptedException {
    Duration quiet = lab.time(Duration.ofSeconds(10), Duration.ofMillis(200));
    TimeUnit.NANOSECONDS.sleep(lab.time(Duration.ofSeconds(3), Duration.ofMillis(100)).toNanos());
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long before = system.getProcessCpuTime();
    long started = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(quiet.toNanos());
    double nanos = System.nanoTime() - started;
    return (system.getProcessCpuTime() - before) / nanos * 1_000;
  }
}
