package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Run;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./river bench scale}: each part in a JVM of its own, its rows printed as they come. */
@Command(
    name = "scale",
    description = "What must not grow: with blocks, subscribers, backlog, queues.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ScaleCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "These parts (all); --list lists them.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "List the parts and end.")
  private boolean list;

  @Option(names = "--quick", description = "Tiny counts: the figures mean nothing.")
  private boolean quick;

  @Option(names = "--full", description = "With 100 million messages waiting: 16 GB of disk.")
  private boolean full;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that count (3 to 7, by what one takes).")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data lies while a part runs (the temporary directory).")
  private @Nullable Path directory;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results there.")
  private @Nullable Path json;

  /** Made by the command line, which sets its options. */
  @SuppressWarnings("NullAway.Init")
  public ScaleCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (rounds < 0 || (quick && full)) {
      throw new UsageException("--rounds must be positive, and --quick excludes --full");
    }
    List<Part> parts = Parts.named(only);
    if (list) {
      parts.forEach(part -> out.printf(Locale.ROOT, "%-12s %s%n", part.name(), part.about()));
      return 0;
    }
    Path base = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    Files.createDirectories(base);
    List<Row> rows = new ArrayList<>();
    for (Part part : parts) {
      List<Row> measured = measure(part, base);
      measured.forEach(row -> print(out, row));
      rows.addAll(measured);
      if (json != null) { // each time: a part that fails must not cost those before it
        Results.write(
            json, new Run(typed(), Clock.systemUTC().instant(), Machine.here(base), rows));
      }
    }
    return 0;
  }

  private List<Row> measure(Part part, Path base) throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(base, "river-scale-" + part.name() + "-");
    Lab.Extent extent = quick ? Lab.Extent.QUICK : full ? Lab.Extent.FULL : Lab.Extent.NORMAL;
    try {
      return PartChild.run(part, new Lab(own, extent, rounds));
    } finally {
      Directories.delete(own);
    }
  }

  private String typed() {
    return "./river bench scale"
        + (only.isEmpty() ? "" : " --only " + String.join(",", only))
        + (quick ? " --quick" : "")
        + (full ? " --full" : "")
        + (rounds == 0 ? "" : " --rounds " + rounds);
  }

  private static void print(PrintWriter out, Row row) {
    out.printf(
        Locale.ROOT,
        "%-60s %,14.1f %-8s (%,.1f to %,.1f)%s%n",
        row.line(),
        row.median(),
        row.unit(),
        row.min(),
        row.max(),
        row.ratio() == null
            ? ""
            : String.format(Locale.ROOT, "  %.2f x %s", row.ratio().median(), row.ratio().to()));
    out.flush();
  }
}
