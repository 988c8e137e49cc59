package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.options.JsonOption;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code jmh}: runs the benchmarks of this package in JVMs of their own, each with the allocation
 * profiler, and prints a line for each.
 */
@Command(
    name = "jmh",
    description = "Measures the small paths with JMH: time and allocation.",
    mixinStandardHelpOptions = true)
public final class JmhCommand implements Callable<Integer> {
  @Option(
      names = "--include",
      paramLabel = "REGEX",
      defaultValue = ".*",
      description = "Benchmarks, such as Publish or next. Default: all.")
  private String include;

  @Option(
      names = "--quick",
      description = "One JVM and short rounds: to see that it works, not to compare by.")
  private boolean quick;

  @Mixin private JsonOption json;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public JmhCommand() {}

  @Override
  public Integer call() throws IOException, RunnerException {
    List<Row> rows = JmhRows.of(measure());
    PrintWriter out = spec.commandLine().getOut();
    rows.forEach(row -> out.println(line(row)));
    json.write(Path.of(System.getProperty("java.io.tmpdir", ".")), rows);
    return CommandLine.ExitCode.OK;
  }

  private static String line(Row row) {
    Double allocated = row.extra().get(JmhRows.ALLOCATED);
    return String.format(
        Locale.ROOT,
        "%-40s %,10.1f %s (%,.1f to %,.1f)  %s",
        row.line(),
        row.median(),
        row.unit(),
        row.min(),
        row.max(),
        allocated == null ? row.note() : String.format(Locale.ROOT, "%,.1f B/op", allocated));
  }

  private Collection<RunResult> measure() throws RunnerException {
    try {
      Pattern.compile(include);
      return new Runner(options().build()).run();
    } catch (PatternSyntaxException | NoBenchmarksException e) {
      throw new UsageException("--include " + include + " names no benchmark");
    }
  }

  private ChainedOptionsBuilder options() {
    return new OptionsBuilder()
        .include(include)
        .addProfiler(GCProfiler.class)
        .shouldFailOnError(true)
        .forks(quick ? 1 : 2)
        .warmupIterations(quick ? 2 : 5)
        .warmupTime(TimeValue.milliseconds(quick ? 300 : 1000))
        .measurementIterations(quick ? 3 : 5)
        .measurementTime(TimeValue.milliseconds(quick ? 300 : 1000));
  }
}
