package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.options.JsonOption;
import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.MarkdownTable;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options of all commands of the harness, and what they do with them. */
final class LoadOptions {
  private static final double QUICK_SCALE = 0.001;
  private static final Duration QUICK_CAP = Duration.ofSeconds(1);
  private static final Duration WARM_UP = Duration.ofSeconds(2);

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      arity = "1..*",
      split = ",",
      description = "Systems that take part. Default: all. Ratios need chronicle.")
  private List<String> systems = List.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds of each that count. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--quick",
      description =
          "A thousandth of each count, one round, no warm-up worth the name: figures mean"
              + " nothing then.")
  private boolean quick;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the data goes. Default: a temporary directory.")
  private @Nullable Path directory;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "Heap of each JVM that works. Default: ${DEFAULT-VALUE}.")
  private String heap;

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option for each JVM that works; may be repeated.")
  private List<String> jvm = new ArrayList<>();

  @Mixin private JsonOption json;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  LoadOptions() {}

  /**
   * Measures lines, prints their tables, and writes the results after each line, so that a run
   * which fails late leaves what it has.
   *
   * @param scale by which counts are multiplied
   * @param cap after which a round is cut off
   * @return all rows
   */
  List<Row> measure(CommandSpec spec, List<Line> lines, double scale, Duration cap)
      throws IOException {
    if (rounds < 1) {
      throw new UsageException("--rounds is at least 1");
    }
    List<QueueSystem> contenders = contenders();
    Path data = data();
    PrintWriter err = spec.commandLine().getErr();
    List<Row> rows = new ArrayList<>();
    try {
      Plan plan = plan(data, scale, cap);
      for (Line line : lines) {
        try (Contest contest = new Contest(line, plan, contenders, this::fork, err::println)) {
          rows.addAll(contest.rows());
        }
        json.write(data, rows);
      }
      spec.commandLine().getOut().println(Machine.here(data).describe());
    } finally {
      if (directory == null) {
        Directories.delete(data);
      }
    }
    print(spec.commandLine().getOut(), rows);
    return rows;
  }

  private List<QueueSystem> contenders() {
    try {
      return systems.isEmpty() ? Systems.all() : systems.stream().map(Systems::byName).toList();
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Path data() throws IOException {
    return directory == null
        ? Files.createTempDirectory("river-bench-")
        : Files.createDirectories(directory.toAbsolutePath());
  }

  private Plan plan(Path data, double scale, Duration cap) {
    return quick
        ? new Plan(1, scale * QUICK_SCALE, QUICK_CAP, Duration.ZERO, data)
        : new Plan(rounds, scale, cap, WARM_UP, data);
  }

  private Worker fork() {
    try {
      return new ForkedWorker(heap, jvm);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void print(PrintWriter out, List<Row> rows) {
    for (String table : rows.stream().map(Row::table).distinct().toList()) {
      out.println();
      out.print(MarkdownTable.of(rows.stream().filter(row -> row.table().equals(table)).toList()));
    }
    out.flush();
  }
}
