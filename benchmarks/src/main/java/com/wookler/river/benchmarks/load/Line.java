package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Work;

/**
 * One line of a table: a work that each system does, several times.
 *
 * @param name on the command line
 * @param table which table it stands in
 * @param text what is done, as in tables
 * @param work what systems are opened for
 * @param baseWork what the base system does to be compared with: {@code work} but where the base
 *     cannot do that at all
 * @param count messages of one round
 * @param task how a round goes
 */
record Line(
    String name, String table, String text, Work work, Work baseWork, long count, Task task) {
  /** The system that all are compared with. */
  static final String BASE = "chronicle";

  /** A line at which the base does the same as all others. */
  Line(String name, String table, String text, Work work, long count, Task task) {
    this(name, table, text, work, work, count, task);
  }

  /** What this system does in this line. */
  Work workOf(QueueSystem system) {
    return system.name().equals(BASE) ? baseWork : work;
  }

  /** What the base system leaves out or does otherwise, for its row; empty for nothing. */
  String baseNote() {
    if (baseWork.equals(work)) {
      return "";
    }
    return work.ack() ? "without acknowledgement" : "one thread, one force at a time";
  }
}
