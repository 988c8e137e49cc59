package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.report.Row;
import java.util.List;

/**
 * Something that can be measured.
 *
 * @param name on the command line
 * @param text what is measured, in a line
 * @param measurement how
 */
public record Benchmark(String name, String text, Measurement measurement) {
  /** How something is measured. */
  @FunctionalInterface
  public interface Measurement {
    /**
     * Measures.
     *
     * @throws SkippedException this machine lacks something that the measurement needs
     * @throws IllegalStateException a message was lost, repeated, mixed up or damaged
     */
    List<Row> measure(Context context) throws Exception;
  }

  /** Says why a benchmark cannot be measured on this machine. */
  public static final class SkippedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Creates it with the reason, which is printed. */
    public SkippedException(String reason) {
      super(reason);
    }
  }

  /**
   * Returns the benchmark of this name.
   *
   * @throws UsageException there is none
   */
  public static Benchmark named(List<Benchmark> all, String name) {
    return all.stream()
        .filter(benchmark -> benchmark.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new UsageException("no line '" + name + "' (--list lists them)"));
  }
}
