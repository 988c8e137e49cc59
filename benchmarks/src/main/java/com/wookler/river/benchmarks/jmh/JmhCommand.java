package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.harness.ResultOptions;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.report.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code jmh}: runs the benchmarks of this package in JVMs of their own, each with the allocation
 * profiler; rows are median, least and greatest of all iterations of all forks.
 */
@Command(
    name = "jmh",
    description = "Measures the small paths with JMH: time and allocation.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class JmhCommand implements Callable<Integer> {
  /** Name of the figure of what was allocated, by all threads. */
  static final String ALLOCATED = "B/op";

  private static final String TABLE = "jmh";
  private static final String ALLOCATED_BY_JMH = "gc.alloc.rate.norm";
  private static final TimeValue SECOND = TimeValue.seconds(1);
  private static final TimeValue MOMENT = TimeValue.milliseconds(10);

  @Option(
      names = "--include",
      paramLabel = "REGEX",
      description = "Benchmarks, such as Publish or next.")
  private String include = ".*";

  @Option(
      names = "--quick",
      description = "One short round in this JVM: to see that it works, not to compare by.")
  private boolean quick;

  @Mixin private ResultOptions results = new ResultOptions();

  @Override
  public Integer call() throws IOException, RunnerException {
    List<Row> rows = measure();
    results.print(rows);
    results.write(Path.of(System.getProperty("java.io.tmpdir", ".")), rows);
    return CommandLine.ExitCode.OK;
  }

  private List<Row> measure() throws RunnerException {
    if (quick) {
      System.setProperty("jmh.ignoreLock", "true"); // another may run; the figures mean nothing
    }
    try {
      Pattern.compile(include);
      return new Runner(options().build()).run().stream().map(JmhCommand::row).toList();
    } catch (PatternSyntaxException | NoBenchmarksException e) {
      throw new UsageException("--include " + include + " names no benchmark");
    } finally {
      System.clearProperty("jmh.ignoreLock");
    }
  }

  private ChainedOptionsBuilder options() {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(include)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .forks(quick ? 0 : 2)
            .warmupIterations(quick ? 0 : 5)
            .warmupTime(SECOND)
            .measurementIterations(quick ? 1 : 5)
            .measurementTime(quick ? MOMENT : SECOND);
    return quick ? options.verbosity(VerboseMode.SILENT) : options;
  }

  private static Row row(RunResult result) {
    Statistics statistics = result.getPrimaryResult().getStatistics();
    boolean takesBefore =
        result
            .getParams()
            .getBenchmark()
            .startsWith(QueueBenchmarks.AckBenchmark.class.getCanonicalName() + ".");
    return new Row(
        TABLE,
        line(result.getParams()),
        Samples.RIVER,
        result.getPrimaryResult().getScoreUnit(),
        statistics.getPercentile(50),
        statistics.getMin(),
        statistics.getMax(),
        null,
        takesBefore ? Map.of() : allocated(result),
        takesBefore ? "no B/op: JMH counts what taking the messages allocated too" : "");
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
