package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.load.Line.Figure;
import com.wookler.river.benchmarks.system.Work;
import java.util.ArrayList;
import java.util.List;

/** All lines, in the order of the tables. */
final class Lines {
  /** The one that writes more than the page cache holds, which is a command of its own. */
  static final String SUSTAINED = "sustained";

  private static final int BATCH = 64;
  private static final int PUBLISH_RATE = 200_000;
  private static final int DELIVERY_RATE = 10_000;
  private static final long MILLION = 1_000_000;
  private static final Work ONE = Work.publish(1, 1024);
  private static final Work BOTH = new Work(1, 1, 1024, 1, false, Work.Level.MEMORY, 0);
  private static final List<Line> ALL = all();

  private Lines() {}

  /** Returns every line. */
  static List<Line> every() {
    return ALL;
  }

  /**
   * Returns the line of this name.
   *
   * @throws UsageException there is none
   */
  static Line byName(String name) {
    return ALL.stream()
        .filter(line -> line.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageException("no line '" + name + "' (--list lists them)"));
  }

  private static List<Line> all() {
    List<Line> lines = new ArrayList<>();
    publish(lines, "100", 100, 5 * MILLION);
    publish(lines, "1k", 1024, MILLION);
    forced(lines);
    consume(lines, "100", 100, 5 * MILLION);
    consume(lines, "1k", 1024, MILLION);
    lines.add(
        Line.of(
            "consume-1k-three",
            "consume",
            "consume 1 KiB, batches of 64, three subscribers at once, total",
            Work.consume(3, 1024, BATCH, false),
            MILLION));
    both(lines);
    latency(lines);
    lines.add(
        Line.of(
                SUSTAINED,
                SUSTAINED,
                "publish 1 KiB, far more than the page cache likes, while a subscriber drains",
                BOTH,
                8 * MILLION)
            .at(0, Figure.PUBLISHER_RATE));
    return List.copyOf(lines);
  }

  private static String bytes(int size) {
    return size == 1024 ? "1 KiB" : size + " B";
  }

  private static void publish(List<Line> lines, String name, int size, long count) {
    String start = "publish-" + name;
    String text = "publish " + bytes(size);
    Work one = Work.publish(1, size);
    lines.add(Line.of(start + "-1", "publish", text + ", 1 thread", one, count));
    lines.add(Line.of(start + "-4", "publish", text + ", 4 threads", Work.publish(4, size), count));
    lines.add(
        Line.of(
            start + "-batch",
            "publish",
            text + ", 1 thread, batches of " + BATCH,
            one.inBatches(BATCH),
            count));
  }

  private static void forced(List<Line> lines) {
    String text = "publish 1 KiB to the device, ";
    Work one = ONE.forced(0);
    Work many = Work.publish(64, 1024).forced(0);
    lines.add(Line.of("forced-1", "forced", text + "1 thread waiting", one, 50_000));
    lines.add(
        Line.of("forced-64", "forced", text + "64 threads waiting", many, 500_000).basedOn(one));
    lines.add(
        Line.of(
                "forced-async",
                "forced",
                text + "1 thread, 1,000 under way",
                ONE.forced(1_000),
                MILLION)
            .basedOn(one));
  }

  private static void consume(List<Line> lines, String name, int size, long count) {
    for (boolean ack : new boolean[] {false, true}) {
      for (int batch : new int[] {1, BATCH}) {
        lines.add(
            Line.of(
                    "consume-" + name + (ack ? "-ack" : "") + (batch == 1 ? "" : "-batch"),
                    "consume",
                    "consume "
                        + bytes(size)
                        + (batch == 1 ? ", one by one" : ", batches of " + batch)
                        + (ack ? ", acknowledged" : ""),
                    Work.consume(1, size, batch, ack),
                    count)
                .basedOn(Work.consume(1, size, batch, false)));
      }
    }
  }

  private static void both(List<Line> lines) {
    String text = "publish and consume 1 KiB at once, one by one";
    Work ack = new Work(1, 1, 1024, 1, true, Work.Level.MEMORY, 0);
    lines.add(Line.of("both-1k", "both", text, BOTH, MILLION));
    lines.add(Line.of("both-1k-ack", "both", text + ", acknowledged", ack, MILLION).basedOn(BOTH));
  }

  private static void latency(List<Line> lines) {
    String text = "publish 1 KiB at 200,000/s";
    lines.add(
        Line.of("latency-publish", "latency", text, ONE, 10L * PUBLISH_RATE)
            .at(PUBLISH_RATE, Figure.PUBLISHED));
    lines.add(
        Line.of(
                "latency-publish-drained",
                "latency",
                text + " while a subscriber drains",
                BOTH,
                10L * PUBLISH_RATE)
            .at(PUBLISH_RATE, Figure.PUBLISHED));
    lines.add(
        Line.of(
                "latency-delivery",
                "latency",
                "publish 1 KiB at 10,000/s until a waiting subscriber has it",
                BOTH,
                10L * DELIVERY_RATE)
            .at(DELIVERY_RATE, Figure.RECEIVED));
  }
}
