package com.wookler.river.benchmarks.options;

import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Run;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --json FILE}: where results go, besides the console. */
public final class JsonOption {
  @Option(names = "--json", paramLabel = "FILE", description = "Write the results there.")
  private @Nullable Path file;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Made by the command line, which sets the option. */
  @SuppressWarnings("NullAway.Init")
  public JsonOption() {}

  /**
   * Writes what there is so far, if it was asked for: called after each part, so that one which
   * fails does not cost those before it.
   *
   * @param data where the data of the run lies: tells of the file system
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
}
