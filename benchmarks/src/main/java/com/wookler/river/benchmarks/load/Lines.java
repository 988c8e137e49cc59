package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.load.LatencyTask.Until;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.benchmarks.utils.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All lines, in the order of the tables. */
final class Lines {
  /** The one that writes much, which is a command of its own. */
  static final String SUSTAINED = "sustained";

  private static final int SMALL = 100;
  private static final int LARGE = 1024;
  private static final int BATCH = 64;
  private static final int PUBLISH_RATE = 200_000;
  private static final int DELIVERY_RATE = 10_000;
  private static final long MILLION = 1_000_000;
  private static final List<Line> ALL = all();

  private Lines() {}

  /** By names; all but {@link #SUSTAINED} if none is named. */
  static List<Line> named(List<String> names) {
    return names.isEmpty()
        ? ALL.stream().filter(line -> !line.name().equals(SUSTAINED)).toList()
        : names.stream().map(Lines::byName).toList();
  }

  /** Every line there is. */
  static List<Line> every() {
    return ALL;
  }

  /** The one of this name. */
  static Line byName(String name) {
    return ALL.stream()
        .filter(line -> line.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageException("no line '" + name + "' (--list lists them)"));
  }

  private static List<Line> all() {
    List<Line> lines = new ArrayList<>();
    for (Map.Entry<String, Integer> size : sizes().entrySet()) {
      publish(lines, size.getKey(), size.getValue());
    }
    forced(lines);
    for (Map.Entry<String, Integer> size : sizes().entrySet()) {
      consume(lines, size.getKey(), size.getValue());
    }
    subscribers(lines);
    both(lines);
    latency(lines);
    sustained(lines);
    return List.copyOf(lines);
  }

  private static Map<String, Integer> sizes() {
    return new TreeMap<>(Map.of("100", SMALL, "1k", LARGE));
  }

  private static String bytes(int size) {
    return size == LARGE ? "1 KiB" : size + " B";
  }

  private static long count(int size) {
    return size == LARGE ? MILLION : 5 * MILLION;
  }

  private static void publish(List<Line> lines, String name, int size) {
    Task task = new PublishTask();
    for (int threads : new int[] {1, 4}) {
      lines.add(
          new Line(
              "publish-" + name + "-" + threads,
              "publish",
              "publish " + bytes(size) + ", " + threads + (threads == 1 ? " thread" : " threads"),
              Work.publish(threads, size),
              count(size),
              task));
    }
    lines.add(
        new Line(
            "publish-" + name + "-batch",
            "publish",
            "publish " + bytes(size) + ", 1 thread, batches of " + BATCH,
            Work.publish(1, size).inBatches(BATCH),
            count(size),
            task));
  }

  private static void forced(List<Line> lines) {
    Task task = new PublishTask();
    Work one = Work.publish(1, LARGE).forced(0);
    String text = "publish 1 KiB to the device, ";
    lines.add(new Line("forced-1", "forced", text + "1 thread waiting", one, 50_000, task));
    lines.add(
        new Line(
            "forced-64",
            "forced",
            text + "64 threads waiting",
            Work.publish(64, LARGE).forced(0),
            one,
            500_000,
            task));
    lines.add(
        new Line(
            "forced-async",
            "forced",
            text + "1 thread, 1,000 under way",
            Work.publish(1, LARGE).forced(1_000),
            one,
            MILLION,
            task));
  }

  private static void consume(List<Line> lines, String name, int size) {
    for (boolean ack : new boolean[] {false, true}) {
      for (int batch : new int[] {1, BATCH}) {
        String text =
            "consume "
                + bytes(size)
                + (batch == 1 ? ", one by one" : ", batches of " + batch)
                + (ack ? ", acknowledged" : "");
        lines.add(
            new Line(
                "consume-" + name + (ack ? "-ack" : "") + (batch == 1 ? "" : "-batch"),
                "consume",
                text,
                Work.consume(1, size, batch, ack),
                Work.consume(1, size, batch, false),
                count(size),
                new ConsumeTask()));
      }
    }
  }

  private static void subscribers(List<Line> lines) {
    lines.add(
        new Line(
            "consume-1k-three",
            "consume",
            "consume 1 KiB, batches of 64, three subscribers at once, total",
            Work.consume(3, LARGE, BATCH, false),
            MILLION,
            new ConsumeTask()));
  }

  private static void both(List<Line> lines) {
    Task task = new BothTask();
    Work work = new Work(1, 1, LARGE, 1, false, Work.Level.MEMORY, 0);
    Work ack = new Work(1, 1, LARGE, 1, true, Work.Level.MEMORY, 0);
    String text = "publish and consume 1 KiB at once, one by one";
    lines.add(new Line("both-1k", "both", text, work, MILLION, task));
    lines.add(new Line("both-1k-ack", "both", text + ", acknowledged", ack, work, MILLION, task));
  }

  private static void latency(List<Line> lines) {
    Work publish = Work.publish(1, LARGE);
    Work both = new Work(1, 1, LARGE, 1, false, Work.Level.MEMORY, 0);
    lines.add(
        new Line(
            "latency-publish",
            "latency",
            "publish 1 KiB at 200,000/s",
            publish,
            10L * PUBLISH_RATE,
            new LatencyTask(PUBLISH_RATE, Until.PUBLISHED)));
    lines.add(
        new Line(
            "latency-publish-drained",
            "latency",
            "publish 1 KiB at 200,000/s while a subscriber drains",
            both,
            10L * PUBLISH_RATE,
            new LatencyTask(PUBLISH_RATE, Until.PUBLISHED)));
    lines.add(
        new Line(
            "latency-delivery",
            "latency",
            "publish 1 KiB at 10,000/s until a waiting subscriber has it",
            both,
            10L * DELIVERY_RATE,
            new LatencyTask(DELIVERY_RATE, Until.RECEIVED)));
  }

  private static void sustained(List<Line> lines) {
    lines.add(
        new Line(
            SUSTAINED,
            SUSTAINED,
            "publish 1 KiB, far more than the page cache likes, while a subscriber drains",
            new Work(1, 1, LARGE, 1, false, Work.Level.MEMORY, 0),
            8 * MILLION,
            new SustainedTask()));
  }
}
