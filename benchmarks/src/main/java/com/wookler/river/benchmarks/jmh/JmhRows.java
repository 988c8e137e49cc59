package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.report.Row;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/** JMH's results as rows of a table: median, least and greatest of all iterations of all forks. */
final class JmhRows {
  /** Their table. */
  static final String TABLE = "jmh";

  /** Name of the figure of what was allocated, by all threads. */
  static final String ALLOCATED = "B/op";

  private static final String ALLOCATED_BY_JMH = "gc.alloc.rate.norm";

  private JmhRows() {}

  /** One row a benchmark and size, in JMH's order. */
  static List<Row> of(Collection<RunResult> results) {
    return results.stream().map(JmhRows::row).toList();
  }

  private static Row row(RunResult result) {
    Statistics statistics = result.getPrimaryResult().getStatistics();
    return new Row(
        TABLE,
        line(result.getParams()),
        "river",
        result.getPrimaryResult().getScoreUnit(),
        statistics.getPercentile(50),
        statistics.getMin(),
        statistics.getMax(),
        null,
        takesBefore(result) ? Map.of() : allocated(result),
        takesBefore(result) ? "no B/op: JMH counts what taking the messages allocated too" : "");
  }

  private static boolean takesBefore(RunResult result) {
    return result.getParams().getBenchmark().startsWith(AckBenchmark.class.getName() + ".");
  }

  private static Map<String, Double> allocated(RunResult result) {
    Result<?> norm = result.getSecondaryResults().get(ALLOCATED_BY_JMH);
    return norm == null ? Map.of() : Map.of(ALLOCATED, norm.getStatistics().getPercentile(50));
  }

  /** Such as {@code Publish.publishAll64, 1024 B}. */
  private static String line(BenchmarkParams params) {
    String method = params.getBenchmark(); // with package and class
    String type = method.substring(0, method.lastIndexOf('.'));
    String name =
        type.substring(type.lastIndexOf('.') + 1).replace("Benchmark", "")
            + method.substring(type.length());
    String size = params.getParam("size");
    return size == null ? name : name + ", " + size + " B";
  }
}
