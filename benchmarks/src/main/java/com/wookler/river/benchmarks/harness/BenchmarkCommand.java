package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.harness.Context.Extent;
import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.Env;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that measures benchmarks one after the other, prints their rows and writes them. */
public abstract class BenchmarkCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      arity = "1..*",
      split = ",",
      paramLabel = "NAME",
      description = "Measure these (all); --list lists them.")
  private List<String> only = List.of();

  @Option(names = "--list", description = "List what there is to measure, and measure nothing.")
  private boolean list;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of each that count. Default: 3 to 7, by what one takes.")
  private @Nullable Integer rounds;

  @Option(
      names = "--quick",
      description = "Tiny counts, one round, all in one JVM: the figures mean nothing.")
  private boolean quick;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data is meanwhile (the temporary directory).")
  private @Nullable Path base;

  @Mixin private ResultOptions results;

  @Spec private CommandSpec spec;

  /** Creates it; the command line sets the options. */
  @SuppressWarnings("NullAway.Init")
  protected BenchmarkCommand() {}

  /** Returns the benchmarks that there are, in the order of the tables. */
  protected abstract List<Benchmark> benchmarks();

  /** Returns those of them that are measured if none is named. */
  protected List<Benchmark> byDefault() {
    return benchmarks();
  }

  /**
   * Checks the command's own options.
   *
   * @throws UsageException they make no sense
   */
  protected void check() {}

  /** Returns whether to measure what needs tens of gigabytes. */
  protected boolean full() {
    return false;
  }

  /** Closes what benchmarks have shared; called when all are measured. */
  protected void close() throws IOException {}

  /** Lists what there is to measure. */
  protected void list(PrintWriter out) {
    benchmarks().forEach(each -> out.println(Context.text("%-24s %s", each.name(), each.text())));
  }

  @Override
  public final Integer call() throws Exception {
    if ((rounds != null && rounds < 1) || (quick && full())) {
      throw new UsageException("--rounds is at least 1, and --quick excludes --full");
    }
    check();
    List<Benchmark> chosen =
        only.isEmpty()
            ? byDefault()
            : only.stream().map(name -> Benchmark.named(benchmarks(), name)).toList();
    if (list) {
      list(spec.commandLine().getOut());
      return CommandLine.ExitCode.OK;
    }
    Path data = Directories.create(base);
    boolean monitored = quick && Env.find().isEmpty(); // else each JVM has a monitor of its own
    try {
      if (monitored) {
        RiverMonitor.start();
      }
      results.print(measure(chosen, data));
    } finally {
      close();
      if (monitored) {
        RiverMonitor.stop();
      }
      Directories.delete(data);
    }
    return CommandLine.ExitCode.OK;
  }

  private List<Row> measure(List<Benchmark> chosen, Path data) throws Exception {
    PrintWriter err = spec.commandLine().getErr();
    Extent extent = quick ? Extent.QUICK : full() ? Extent.FULL : Extent.NORMAL;
    int asked = rounds == null ? 0 : rounds;
    List<Row> rows = new ArrayList<>();
    for (Benchmark benchmark : chosen) {
      err.println(benchmark.text());
      Path own = Files.createDirectory(data.resolve(benchmark.name()));
      try {
        rows.addAll(benchmark.measurement().measure(new Context(own, extent, asked, err::println)));
        results.write(data, rows);
      } catch (Benchmark.SkippedException e) {
        err.println("SKIPPED: " + benchmark.text() + ": " + e.getMessage());
      }
      Directories.delete(own);
    }
    spec.commandLine().getOut().println(Machine.here(data).describe());
    return rows;
  }
}
