package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.options.ChoiceOptions;
import com.wookler.river.benchmarks.options.DirectoryOption;
import com.wookler.river.benchmarks.options.JsonOption;
import com.wookler.river.benchmarks.report.MarkdownTable;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./river bench rest}: each line with a server in a JVM of its own. */
@Command(
    name = "rest",
    description =
        "The REST server: publishing, many publishers, the Java client beside the JDK's, many long"
            + " polls, many idle connections.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class RestCommand implements Callable<Integer> {
  private static final Duration QUICK_ROUND = Duration.ofMillis(150);

  @Mixin private ChoiceOptions choice;

  @Option(names = "--quick", description = "One tiny round of each: the figures mean nothing.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds that count. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How long each takes. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Mixin private DirectoryOption directory;
  @Mixin private JsonOption json;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets its options. */
  @SuppressWarnings("NullAway.Init")
  public RestCommand() {}

  @Override
  public Integer call() throws Exception {
    if (rounds < 1 || seconds < 1) {
      throw new UsageException("--rounds and --seconds are at least 1");
    }
    PrintWriter out = spec.commandLine().getOut();
    List<RestLine> lines = RestLines.named(choice.only());
    if (choice.isList()) {
      lines.forEach(line -> out.printf(Locale.ROOT, "%-18s %s%n", line.name(), line.text()));
      return 0;
    }
    Path own = directory.create("river-rest-");
    try (RestLab lab = lab(own)) {
      print(measure(lines, lab));
    } finally {
      Directories.delete(own);
    }
    return 0;
  }

  private RestLab lab(Path own) {
    return quick
        ? new RestLab(own, 1, QUICK_ROUND, true)
        : new RestLab(own, rounds, Duration.ofSeconds(seconds), false);
  }

  private List<Row> measure(List<RestLine> lines, RestLab lab) throws Exception {
    List<Row> rows = new ArrayList<>();
    for (RestLine line : lines) {
      if (line.needsWrk() && Wrk.find().isEmpty()) {
        spec.commandLine().getErr().println("SKIPPED: " + line.text() + ": " + Wrk.MISSING);
        continue;
      }
      spec.commandLine().getErr().println(line.text());
      rows.addAll(line.measure(lab));
      json.write(lab.directory(), rows);
    }
    return rows;
  }

  private void print(List<Row> rows) {
    PrintWriter out = spec.commandLine().getOut();
    out.println();
    out.print(MarkdownTable.of(rows));
    out.flush();
  }
}
