package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.MarkdownTable;
import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Run;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --json FILE}: where results go, besides the console. */
public final class ResultOptions {
  @Option(names = "--json", paramLabel = "FILE", description = "Write the results there.")
  private @Nullable Path file;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Creates it; the command line sets the option. */
  @SuppressWarnings("NullAway.Init")
  public ResultOptions() {}

  /**
   * Writes the rows that there are so far, if {@code --json} was given: called after each
   * benchmark, so that one which fails does not cost those before it.
   *
   * @param data directory of the data, which shows the file system
   */
  public void write(Path data, List<Row> rows) throws IOException {
    if (file == null) {
      return;
    }
    List<String> typed = command.root().commandLine().getParseResult().originalArgs();
    Results.write(
        file,
        new Run(
            "./river bench " + String.join(" ", typed),
            TimeSource.system().wallTime().truncatedTo(ChronoUnit.SECONDS),
            Machine.here(data),
            rows));
  }

  /** Prints the rows, a table after the other. */
  public void print(List<Row> rows) {
    PrintWriter out = command.commandLine().getOut();
    for (String table : rows.stream().map(Row::table).distinct().toList()) {
      out.println();
      out.print(MarkdownTable.of(rows.stream().filter(row -> row.table().equals(table)).toList()));
    }
    out.flush();
  }
}
