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
import java.util.function.Consumer;
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

  /**
   * Returns the options of the JVM that each benchmark is measured in; null if the benchmarks start
   * JVMs of their own.
   */
  protected @Nullable List<String> jvm() {
    return null;
  }

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

  private Context context(Path data, Consumer<String> progress) {
    Extent extent = quick ? Extent.QUICK : full() ? Extent.FULL : Extent.NORMAL;
    return new Context(data, extent, rounds == null ? 0 : rounds, progress);
  }

  private List<Row> measure(List<Benchmark> chosen, Path data) throws Exception {
    PrintWriter err = spec.commandLine().getErr();
    List<Row> rows = new ArrayList<>();
    for (Benchmark benchmark : chosen) {
      err.println(benchmark.text());
      Path own = Files.createDirectory(data.resolve(benchmark.name()));
      try {
        rows.addAll(measure(benchmark, context(own, err::println)));
        results.write(data, rows);
      } catch (Benchmark.SkippedException e) {
        err.println("SKIPPED: " + benchmark.text() + ": " + e.getMessage());
      }
      Directories.delete(own);
    }
    spec.commandLine().getOut().println(Machine.here(data).describe());
    return rows;
  }

  private List<Row> measure(Benchmark benchmark, Context context) throws Exception {
    List<String> options = jvm();
    if (options == null || quick) {
      return benchmark.measurement().measure(context);
    }
    List<String> typed = spec.root().commandLine().getParseResult().originalArgs();
    Part part =
        new Part(
            getClass().getName(),
            typed.subList(typed.indexOf(spec.name()) + 1, typed.size()),
            benchmark.name(),
            context.directory().toString());
    try (ChildJvm child = new ChildJvm(options)) {
      return List.of(child.ask(part, Row[].class));
    }
  }

  /** One benchmark of a command with these arguments, measured in the JVM that does this job. */
  record Part(String command, List<String> arguments, String benchmark, String directory)
      implements Context.Job<Row[]> {
    @Override
    public Row[] call() throws Exception {
      BenchmarkCommand parsed =
          Class.forName(command).asSubclass(BenchmarkCommand.class).getConstructor().newInstance();
      new CommandLine(parsed).parseArgs(arguments.toArray(String[]::new));
      Context context = parsed.context(Path.of(directory), System.err::println);
      return Benchmark.named(parsed.benchmarks(), benchmark)
          .measurement()
          .measure(context)
          .toArray(Row[]::new);
    }
  }
}
