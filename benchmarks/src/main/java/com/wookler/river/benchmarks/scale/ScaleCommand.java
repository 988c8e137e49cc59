package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.options.ChoiceOptions;
import com.wookler.river.benchmarks.options.DirectoryOption;
import com.wookler.river.benchmarks.options.JsonOption;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
  @Mixin private ChoiceOptions choice;

  @Option(names = "--quick", description = "Tiny counts: the figures mean nothing.")
  private boolean quick;

  @Option(names = "--full", description = "With 100 million messages waiting: 16 GB of disk.")
  private boolean full;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that count (3 to 7, by what one takes).")
  private int rounds;

  @Mixin private DirectoryOption directory;
  @Mixin private JsonOption json;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets its options. */
  @SuppressWarnings("NullAway.Init")
  public ScaleCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (rounds < 0 || (quick && full)) {
      throw new UsageException("--rounds must be positive, and --quick excludes --full");
    }
    List<Part> parts = Parts.named(choice.only());
    if (choice.isList()) {
      parts.forEach(part -> out.printf(Locale.ROOT, "%-12s %s%n", part.name(), part.about()));
      return 0;
    }
    List<Row> rows = new ArrayList<>();
    for (Part part : parts) {
      measure(part, rows);
    }
    return 0;
  }

  private void measure(Part part, List<Row> rows) throws IOException, InterruptedException {
    Path own = directory.create("river-scale-" + part.name() + "-");
    Lab.Extent extent = quick ? Lab.Extent.QUICK : full ? Lab.Extent.FULL : Lab.Extent.NORMAL;
    try {
      List<Row> measured = PartChild.run(part, new Lab(own, extent, rounds));
      measured.forEach(row -> print(spec.commandLine().getOut(), row));
      rows.addAll(measured);
      json.write(own, rows);
    } finally {
      Directories.delete(own);
    }
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
