package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One line of a table: a work that each system does, several times.
 *
 * @param count messages of one round
 * @param rate at which it publishes, in messages a second; 0 for as fast as it goes
 * @param figure of the row
 * @param peers that take part, where nothing else is asked for
 */
record Line(
    String name,
    String table,
    String text,
    Work work,
    long count,
    int rate,
    Figure figure,
    List<String> peers) {
  /** All lines of {@code load/lines.txt}, in the order of the tables. */
  static final List<Line> ALL = ThisJvm.table("/load/lines.txt").map(Line::of).toList();

  /** What is the figure of the row. */
  enum Figure {
    /** Messages a second until the last thread has ended. */
    RATE("msg/s"),
    /** Messages a second of the publisher, which also shows its slowest second. */
    PUBLISHER_RATE("msg/s"),
    /** How long after it was due a publish has returned. */
    PUBLISHED("µs (p99.99)"),
    /** How long after its publish was due a message is with the consumer. */
    RECEIVED("µs (p99.99)");

    final String unit;

    Figure(String unit) {
      this.unit = unit;
    }
  }

  private static Line of(List<String> cells) {
    int[] numbers = Stream.of(cells.get(3).split(" ", -1)).mapToInt(Integer::parseInt).toArray();
    Work work =
        new Work(
            numbers[0],
            numbers[1],
            numbers[2],
            numbers[3],
            numbers[4] == 1,
            numbers[5] == 1,
            numbers[6],
            numbers[7] == 1);
    long count = Long.parseLong(cells.get(4));
    int rate = Integer.parseInt(cells.get(5));
    Figure figure = Figure.valueOf(cells.get(6));
    List<String> peers = List.of(cells.get(7).split(" ", -1));
    return new Line(cells.get(0), cells.get(1), cells.get(2), work, count, rate, figure, peers);
  }

  static Line named(String name) {
    return ALL.stream().filter(line -> line.name.equals(name)).findFirst().orElseThrow();
  }

  /** Returns what a system does of this line's work. */
  Work workOf(QueueSystem system) {
    return system.part().apply(work);
  }

  /** Returns whether a system takes part; the files of the limit are made before the work. */
  boolean suits(QueueSystem system) {
    return system.can().test(workOf(system))
        && !(figure == Figure.PUBLISHER_RATE && system.name().equals(QueueSystem.LIMIT));
  }

  /** Returns how a system is configured, and what it leaves out in this line. */
  String note(QueueSystem system) {
    Work done = workOf(system);
    List<String> less = new ArrayList<>();
    if (work.ack() && !done.ack()) {
      less.add("without acknowledgement");
    }
    if (work.view() && !done.view()) {
      less.add("each message copied");
    }
    if (work.underWay() > done.underWay()) {
      less.add("one force at a time");
    }
    return (less.isEmpty() ? "" : "here " + String.join(", ", less) + "; ") + system.notes();
  }
}
