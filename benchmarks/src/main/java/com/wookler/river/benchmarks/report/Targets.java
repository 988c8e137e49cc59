package com.wookler.river.benchmarks.report;

import static com.wookler.river.benchmarks.report.Target.Bound.AT_LEAST;
import static com.wookler.river.benchmarks.report.Target.Bound.AT_MOST;

import com.wookler.river.benchmarks.report.Target.Bound;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The targets of queue and server, by the texts of the lines that decide them. Those with {@code ×
 * chronicle} are ratios to plain Chronicle Queue in the same run.
 */
final class Targets {
  private static final String RAW = "× chronicle";
  private static final String OWN = "× itself";
  private static final String ALLOCATED = "B allocated/msg";
  private static final String HEAD = "| target | asked | measured | |\n|---|--:|--:|---|\n";

  private static final String ONE_1K = "publish 1 KiB, 1 thread";
  private static final String ONE_100 = "publish 100 B, 1 thread";
  private static final String FOUR_1K = "publish 1 KiB, 4 threads";
  private static final String FOUR_100 = "publish 100 B, 4 threads";
  private static final String BATCH_100 = "publish 100 B, 1 thread, batches of 64";
  private static final String CONSUME_1K = "consume 1 KiB, batches of 64";
  private static final String CONSUME_100 = "consume 100 B, batches of 64";
  private static final String ONE_BY_ONE_1K = "consume 1 KiB, one by one";
  private static final String THREE =
      "consume 1 KiB, batches of 64, three subscribers at once, total";
  private static final String PUBLISH_AT_RATE = "publish 1 KiB at 200,000/s";
  private static final String DRAINED = "publish 1 KiB at 200,000/s while a subscriber drains";
  private static final String DELIVERY =
      "publish 1 KiB at 10,000/s until a waiting subscriber has it";

  private static final String POLLS = "10,000 long polls, ";

  private Targets() {}

  /** The table of all. */
  static String print(List<Run> runs) {
    Measured measured = new Measured(runs);
    return HEAD + all().map(target -> target.line(measured) + "\n").collect(Collectors.joining());
  }

  /** Texts of all lines that targets are decided by. */
  static List<String> lines() {
    return List.of(
        ONE_1K,
        ONE_100,
        FOUR_1K,
        FOUR_100,
        BATCH_100,
        CONSUME_1K,
        CONSUME_100,
        ONE_BY_ONE_1K,
        THREE,
        PUBLISH_AT_RATE,
        DRAINED,
        DELIVERY);
  }

  private static Stream<Target> all() {
    return Stream.of(
            publishing(),
            forced(),
            consuming(),
            latency(),
            allocation(),
            scale(),
            quiet(),
            reactors(),
            rest())
        .flatMap(List::stream);
  }

  private static List<Target> publishing() {
    return List.of(
        raw(ONE_1K, 1.2),
        raw(ONE_100, 0.7),
        raw(FOUR_100, 1.5),
        raw(FOUR_1K, 1.1),
        raw(FOUR_1K, 1.1).stretch(1.5),
        own(FOUR_100, ONE_100, 0.5),
        own(FOUR_100, ONE_100, 0.5).stretch(0.9),
        own(FOUR_1K, ONE_1K, 0.5),
        own(FOUR_1K, ONE_1K, 0.5).stretch(0.9),
        raw(BATCH_100, 0.7),
        own(BATCH_100, ONE_100, 5));
  }

  private static List<Target> forced() {
    return List.of(
        raw("publish 1 KiB to the device, 64 threads waiting", 10),
        raw("publish 1 KiB to the device, 1 thread, 1,000 under way", 60));
  }

  private static List<Target> consuming() {
    return List.of(
        raw(CONSUME_1K, 0.7),
        raw(CONSUME_100, 0.4),
        raw(CONSUME_1K + ", acknowledged", 0.6),
        raw(CONSUME_100 + ", acknowledged", 0.25),
        own(THREE, CONSUME_1K, 0.9));
  }

  private static List<Target> latency() {
    return List.of(
        extra(DELIVERY, "p50 µs", AT_MOST, 50),
        extra(DELIVERY, "p99.9 µs", AT_MOST, 2_000),
        new Target(
            PUBLISH_AT_RATE + ", p99.99",
            AT_MOST,
            0.2,
            RAW,
            measured -> measured.ratio(PUBLISH_AT_RATE)),
        new Target(DRAINED + ", p99.99", AT_MOST, 0.2, RAW, measured -> measured.ratio(DRAINED)),
        extra(PUBLISH_AT_RATE, "max µs", AT_MOST, 10_000),
        extra(DRAINED, "max µs", AT_MOST, 10_000));
  }

  private static List<Target> allocation() {
    return List.of(
        extra(ONE_1K, ALLOCATED, AT_MOST, 1), extra(ONE_BY_ONE_1K, ALLOCATED, AT_MOST, 1024 + 100));
  }

  private static List<Target> scale() {
    return List.of(
        flat("publish, 10,000,000 waiting"),
        flat("consume at the head, 10,000,000 waiting"),
        flat("consume the oldest, 10,000,000 waiting"),
        flat("publish, 100,000,000 waiting"),
        flat("consume at the head, 100,000,000 waiting"),
        flat("consume the oldest, 100,000,000 waiting"),
        flat("publish, 10,000 blocks"),
        flat("consume, 10,000 blocks"),
        flat("publish, 1,000 idle"),
        flat("consume, 1,000 idle"),
        flat("publish, 1,000,000 above the floor"),
        flat("take, 1,000,000 above the floor"),
        flat("ack one by one, 1,000,000 above the floor"),
        median(
            "open, 10,000,000 waiting, 1,000,000 acks above the floor, after a kill",
            AT_MOST,
            2_000,
            "ms"),
        median("deliver 1,000,000 again", AT_MOST, 3, "s"),
        median("heap of 1,000,000 in flight", AT_MOST, 64, "MB"),
        median("archive", AT_LEAST, 100, "MB/s"),
        median("archive, by the CPU time of the JVM", AT_LEAST, 100, "MB/s"),
        new Target(
            "publish p99.9, archiving",
            AT_MOST,
            1.2,
            "× nothing to archive",
            measured -> measured.ratio("publish p99.9, archiving")));
  }

  private static List<Target> quiet() {
    return List.of(
        median("1,000 queues, threads of the JVM", AT_MOST, 50, "threads"),
        median("1,000 queues, heap each", AT_MOST, 200, "KB"),
        median("1,000 queues, disk each", AT_MOST, 1_000, "KB"),
        median("1,000 queues, open one again", AT_MOST, 20, "ms"),
        median("1,000 queues, make one", AT_MOST, 20, "ms"));
  }

  private static List<Target> reactors() {
    String rest = "publish until the processor of a reactor at rest has it";
    String waits = "publish until the processor of a reactor that waits has it";
    String empty = "1 KiB through an empty processor";
    return List.of(
        new Target(empty, AT_LEAST, 0.7, "× batch(64) and ack", measured -> measured.ratio(empty)),
        extra(rest, "p50 µs", AT_MOST, 1_000),
        extra(rest, "p99 µs", AT_MOST, 1_000),
        extra(waits, "p50 µs", AT_MOST, 1_000),
        extra(waits, "p99 µs", AT_MOST, 1_000),
        median("100 idle reactors", AT_MOST, 1, "% of a core"));
  }

  private static List<Target> rest() {
    return List.of(
        stored("publish 1 KiB over HTTP"),
        stored("publish 1 KiB over HTTP, each with an id"),
        stored("publish 100 B over HTTP, batches of 100"),
        stored("publish 1 KiB over HTTP, batches of 100"),
        even("publish 1 KiB over HTTP, 500 publishers"),
        even("publish 1 KiB to the device over HTTP, 500 publishers"),
        median(POLLS + "threads of the JVM", AT_MOST, 30, "threads"),
        median(POLLS + "resident memory", AT_MOST, 512, "MB"),
        median("10,000 idle connections, p50 of others against without", AT_MOST, 2, "×"),
        median("10,000 idle connections, p99 of others against without", AT_MOST, 2, "×"));
  }

  /** Of a server, against itself storing nothing. */
  private static Target stored(String line) {
    return new Target(line, AT_LEAST, 0.8, "× discarding", measured -> measured.ratio(line));
  }

  /** Of many who publish at once: none waits much longer than the others. */
  private static Target even(String line) {
    return new Target(
        line + ", p99", AT_MOST, 10, "× p50", measured -> measured.extra(line, "p99/p50"));
  }

  /** Of a line that is to cost no more at its large end than at its small one. */
  private static Target flat(String line) {
    return new Target(line, AT_LEAST, 0.9, "× the small end", measured -> measured.ratio(line));
  }

  private static Target median(String line, Bound bound, double threshold, String unit) {
    return new Target(
        line, bound, threshold, unit, measured -> measured.river(line).map(Row::median));
  }

  private static Target raw(String line, double threshold) {
    return new Target(line, AT_LEAST, threshold, RAW, measured -> measured.ratio(line));
  }

  private static Target own(String line, String other, double threshold) {
    return new Target(
        line + ", against " + other,
        AT_LEAST,
        threshold,
        OWN,
        measured -> measured.own(line, other));
  }

  private static Target extra(String line, String figure, Bound bound, double threshold) {
    int unit = figure.lastIndexOf(' ');
    String name = figure.equals(ALLOCATED) ? "allocated" : figure.substring(0, unit);
    return new Target(
        line + ", " + name,
        bound,
        threshold,
        figure.equals(ALLOCATED) ? "B/msg" : figure.substring(unit + 1),
        measured -> measured.extra(line, figure));
  }
}
