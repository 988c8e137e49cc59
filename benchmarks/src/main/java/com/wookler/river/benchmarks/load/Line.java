package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Work;

/**
 * One line of a table: a work that each system does, several times.
 *
 * @param name on the command line
 * @param table of the line
 * @param text what is done, as in tables
 * @param work what systems are opened for
 * @param baseWork what the base system does to be compared with: {@code work}, unless the base
 *     cannot do that at all
 * @param count messages of one round
 * @param load how fast, and what of it is the figure
 */
record Line(
    String name, String table, String text, Work work, Work baseWork, long count, Load load) {
  /** The system that all are compared with. */
  static final String BASE = "chronicle";

  /**
   * How fast a line publishes, and what of it is the figure.
   *
   * @param rate messages a second; 0 for as fast as it goes
   * @param figure of the row
   */
  record Load(int rate, Figure figure) {
    /** As fast as it goes. */
    static final Load FULL = new Load(0, Figure.RATE);
  }

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

    private final String unit;

    Figure(String unit) {
      this.unit = unit;
    }

    String unit() {
      return unit;
    }
  }

  /** Creates a line at which the base does the same as all others. */
  static Line of(String name, String table, String text, Work work, long count) {
    return new Line(name, table, text, work, work, count, Load.FULL);
  }

  Line basedOn(Work other) {
    return new Line(name, table, text, work, other, count, load);
  }

  Line at(int rate, Figure figure) {
    return new Line(name, table, text, work, baseWork, count, new Load(rate, figure));
  }

  /** Returns what a system does in this line. */
  Work workOf(QueueSystem system) {
    return system.name().equals(BASE) ? baseWork : work;
  }

  /** Returns how a system is configured, and what the base leaves out in this line. */
  String note(QueueSystem system) {
    if (!system.name().equals(BASE) || baseWork.equals(work)) {
      return system.notes();
    }
    String other = work.ack() ? "without acknowledgement" : "one thread, one force at a time";
    return "here " + other + "; " + system.notes();
  }
}
