package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures lines of work, each done by several systems in turn. */
@Command(
    name = "run",
    description = "Lines of work, each done by several systems in turn, as Markdown and JSON.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class RunCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      paramLabel = "LINE",
      arity = "1..*",
      split = ",",
      description = "Lines to measure. Default: all but sustained.")
  private List<String> only = List.of();

  @Option(names = "--list", description = "List the lines and the systems, and measure nothing.")
  private boolean list;

  @Option(
      names = "--count-scale",
      paramLabel = "F",
      defaultValue = "1",
      description = "Multiply the counts by this. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--cap",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Cut rounds off after this. Default: ${DEFAULT-VALUE}.")
  private int cap;

  @Mixin private LoadOptions options;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public RunCommand() {}

  @Override
  public Integer call() throws Exception {
    if (list) {
      list(spec.commandLine().getOut());
      return CommandLine.ExitCode.OK;
    }
    if (scale <= 0 || cap < 1) {
      throw new UsageException("--count-scale is above 0, --cap at least 1");
    }
    List<Line> lines = Lines.named(only);
    List<Row> rows = options.measure(spec, lines, scale, Duration.ofSeconds(cap));
    if (rows.isEmpty()) {
      throw new UsageException("none of these systems can do any of this");
    }
    return CommandLine.ExitCode.OK;
  }

  private static void list(PrintWriter out) {
    Lines.every().forEach(line -> out.printf("%-24s %s%n", line.name(), line.text()));
    out.println();
    for (QueueSystem system : Systems.all()) {
      out.printf("%-24s %s%n", system.name(), system.notes());
    }
  }
}
