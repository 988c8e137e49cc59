package com.wookler.river.benchmarks.harness;

import java.io.Serializable;
import java.util.List;

/**
 * Benchmarks that one command measures.
 *
 * @param systems that {@code --systems} may name; none if there is nothing to choose
 * @param jvm how its JVMs are
 * @param benchmarks in the order of the tables
 */
public record Suite(
    String name, String description, List<String> systems, Jvm jvm, List<Benchmark> benchmarks) {
  /**
   * How the JVMs of a suite are.
   *
   * @param one whether each benchmark has a JVM of its own; else what it starts has
   * @param heap of each; empty for the JVM's default
   * @param seconds that a round takes, or after which it is cut off
   */
  public record Jvm(boolean one, String heap, int seconds) {}

  /** Measures something by rounds of contenders, or adds figures itself. */
  @FunctionalInterface
  public interface Measurement extends Serializable {
    /**
     * Measures.
     *
     * @throws SkippedException this machine lacks something that the measurement needs
     * @throws IllegalStateException a message was lost, repeated, mixed up or damaged
     */
    void measure(Context context, Rounds rounds) throws Exception;
  }

  /** Something that can be measured: its name, its table, what it is in a line, and how. */
  public record Benchmark(String name, String table, String text, Measurement measurement)
      implements Serializable {
    List<Row> rows(Context context, List<String> systems) throws Exception {
      try (Rounds rounds = new Rounds(table, context, systems)) {
        measurement.measure(context, rounds);
        return rounds.rows();
      }
    }
  }

  /** Says why a benchmark cannot be measured on this machine. */
  public static final class SkippedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Creates it with the reason, which is printed. */
    public SkippedException(String reason) {
      super(reason);
    }
  }

  /** Returns the benchmarks of these names; all without any. */
  List<Benchmark> chosen(List<String> names) {
    return benchmarks.stream().filter(one -> names.isEmpty() || names.contains(one.name)).toList();
  }
}
