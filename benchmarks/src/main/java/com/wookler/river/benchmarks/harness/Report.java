package com.wookler.river.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes the generated parts of a document anew from the results of several runs. */
@Command(
    name = "report",
    description =
        "Makes the tables of docs/performance-tables.md anew from benchmarks/results/*.json.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class Report implements Callable<Integer> {
  private static final String TARGETS = "targets"; // the part that compares them with the rows
  private static final Pattern PART =
      Pattern.compile("(?s)(<!-- generated: ([\\w-]+) -->\n).*?(<!-- end -->)");

  @Option(
      names = "--results",
      paramLabel = "DIR",
      defaultValue = "${sys:river.root:-.}/benchmarks/results",
      description = "Where the results are. Default: benchmarks/results of the repository.")
  private Path results;

  @Option(
      names = "--document",
      paramLabel = "FILE",
      defaultValue = "${sys:river.root:-.}/docs/performance-tables.md",
      description = "What is changed. Default: docs/performance-tables.md of the repository.")
  private Path document;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public Report() {}

  @Override
  public Integer call() throws IOException {
    if (!Files.isRegularFile(document)) {
      throw new UsageException("there is no document " + document);
    }
    Files.writeString(document, fill(Files.readString(document), Run.readAll(results)));
    return CommandLine.ExitCode.OK;
  }

  /**
   * Returns the document's text with all its generated parts made anew, each between {@code <!--
   * generated: NAME -->} and {@code <!-- end -->}; all else stays.
   *
   * @throws IllegalStateException the document has no part for a table that was measured
   */
  static String fill(String text, List<Run> runs) {
    List<Row> rows = runs.stream().flatMap(run -> run.rows().stream()).toList();
    List<String> parts = PART.matcher(text).results().map(part -> part.group(2)).toList();
    for (Row row : rows) {
      ThisJvm.check(
          parts.contains(row.table()),
          "the document has no <!-- generated: " + row.table() + " -->");
    }
    String targets = "\n" + targets(rows) + "\n";
    return PART.matcher(text)
        .replaceAll(
            part -> {
              String name = part.group(2);
              String made = name.equals(TARGETS) ? targets : tables(runs, name);
              return Matcher.quoteReplacement(part.group(1) + made + part.group(3));
            });
  }

  private static String tables(List<Run> runs, String name) {
    StringBuilder tables = new StringBuilder();
    for (Run run : runs) {
      List<Row> rows = run.rows().stream().filter(row -> row.table().equals(name)).toList();
      if (!rows.isEmpty()) {
        String day = run.date().toString().substring(0, "2026-01-01".length());
        tables.append(
            Context.text(
                "\n`%s`, %s, %s:\n\n%s\n",
                run.command(), day, run.machine(), MarkdownTable.of(rows)));
      }
    }
    return tables.isEmpty() ? "\nnot measured yet\n\n" : tables.toString();
  }

  /**
   * Returns the table of the targets of {@code report/targets.txt}, each with what was measured.
   */
  private static String targets(List<Row> rows) {
    List<Row> river = rows.stream().filter(row -> row.system().equals(Rounds.RIVER)).toList();
    return ThisJvm.table("/report/targets.txt")
        .map(target -> target(target, river))
        .collect(
            Collectors.joining("", "| target | asked | measured | |\n|---|--:|--:|---|\n", ""));
  }

  /** Returns the line of one target: text, bound, unit, figure and perhaps line and which. */
  private static String target(List<String> target, List<Row> river) {
    String text = target.get(0);
    boolean least = target.get(1).startsWith("≥");
    double threshold = Double.parseDouble(target.get(1).substring(2));
    String unit = target.get(2);
    String line = target.size() > 4 ? target.get(4) : text;
    String which = target.size() > 5 ? target.get(5) : "";
    Optional<Row> row = last(river, line);
    Optional<Double> figure =
        switch (target.get(3)) {
          case "median" -> row.map(Row::median);
          case "ratio" -> row.map(Row::ratio).map(Row.Ratio::median);
          case "extra" -> row.map(found -> found.extra().get(which));
          case "own" ->
              last(river, which)
                  .flatMap(other -> row.map(found -> found.median() / other.median()));
          default -> throw new IllegalStateException("targets.txt has a figure " + target.get(3));
        };
    return Context.text(
        "| %s | %s %s %s | %s | %s |\n",
        text,
        least ? "≥" : "≤",
        MarkdownTable.format(threshold),
        unit,
        figure.map(value -> MarkdownTable.format(value) + " " + unit).orElse(""),
        figure
            .map(value -> (least ? value >= threshold : value <= threshold) ? "met" : "**missed**")
            .orElse("not measured yet"));
  }

  /** Returns the row of a line; of several the one of the last run. */
  private static Optional<Row> last(List<Row> rows, String line) {
    return rows.stream().filter(row -> row.line().equals(line)).reduce((earlier, later) -> later);
  }
}
