package com.wookler.river.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes the generated parts of documents anew from the results of several runs. */
@Command(
    name = "report",
    description =
        "Makes the tables of docs/performance.md and performance-tables.md anew from"
            + " benchmarks/results/*.json.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class Report implements Callable<Integer> {
  private static final String TARGETS = "targets"; // the part that compares them with the rows
  private static final String MISSED = "missed"; // the part with those that are missed
  private static final String HEADLINE = "headline"; // the part with all systems side by side
  private static final Set<String> SIDE_BY_SIDE =
      Set.of("publish", "forced", "sustained", "consume", "both");
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
      arity = "1..*",
      paramLabel = "FILE",
      defaultValue =
          "${sys:river.root:-.}/docs/performance.md ${sys:river.root:-.}/docs/performance-tables.md",
      split = " ",
      description = "What is changed. Default: the two pages on performance of the repository.")
  private List<Path> documents;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public Report() {}

  @Override
  public Integer call() throws IOException {
    List<Run> runs = Run.readAll(results);
    StringBuilder all = new StringBuilder();
    for (Path document : documents) {
      if (!Files.isRegularFile(document)) {
        throw new UsageException("there is no document " + document);
      }
      all.append(Files.readString(document));
    }
    check(all.toString(), runs);
    for (Path document : documents) {
      Files.writeString(document, fill(Files.readString(document), runs));
    }
    return CommandLine.ExitCode.OK;
  }

  /**
   * Returns a document's text with all its generated parts made anew, each between {@code <!--
   * generated: NAME -->} and {@code <!-- end -->}; all else stays.
   */
  static String fill(String text, List<Run> runs) {
    List<Row> rows = runs.stream().flatMap(run -> run.rows().stream()).toList();
    return PART.matcher(text)
        .replaceAll(
            part -> {
              String name = part.group(2);
              String made =
                  switch (name) {
                    case TARGETS -> "\n" + targets(runs) + "\n";
                    case MISSED -> "\n" + missed(runs, reasons()) + "\n";
                    case HEADLINE -> "\n" + headline(rows) + "\n";
                    default -> tables(runs, name);
                  };
              return Matcher.quoteReplacement(part.group(1) + made + part.group(3));
            });
  }

  /**
   * Checks that documents can show what was measured.
   *
   * @throws IllegalStateException they have no part for a table, or two runs have measured the same
   *     line: no figure shall be the better of two
   */
  static void check(String texts, List<Run> runs) {
    List<String> parts = PART.matcher(texts).results().map(part -> part.group(2)).toList();
    Map<String, Integer> byLine = new HashMap<>();
    for (int run = 0; run < runs.size(); run++) {
      for (Row row : runs.get(run).rows()) {
        ThisJvm.check(
            parts.contains(row.table()),
            "the documents have no <!-- generated: " + row.table() + " -->");
        Integer other = byLine.putIfAbsent(row.line(), run);
        ThisJvm.check(
            other == null || other == run,
            "'" + row.line() + "' was measured by two runs; delete the results of one");
      }
    }
  }

  private static String tables(List<Run> runs, String name) {
    StringBuilder tables = new StringBuilder();
    for (Run run : runs) {
      List<Row> rows = run.rows().stream().filter(row -> row.table().equals(name)).toList();
      if (!rows.isEmpty()) {
        tables.append("\n" + run.describe() + ":\n\n" + MarkdownTable.of(rows) + "\n");
      }
      String without = gaps(run.gaps().stream().filter(gap -> gap.table().equals(name)));
      tables.append(without).append(without.isEmpty() ? "" : "\n");
    }
    return tables.isEmpty() ? "\nnot measured yet\n\n" : tables.toString();
  }

  /** Returns the messages a second of all systems, a line a work, with River's ratios to some. */
  private static String headline(List<Row> rows) {
    Map<String, List<Row>> works =
        rows.stream()
            .filter(row -> SIDE_BY_SIDE.contains(row.table()))
            .collect(Collectors.groupingBy(Row::line, LinkedHashMap::new, Collectors.toList()));
    works.values().removeIf(work -> of(work, Rounds.RIVER).isEmpty());
    if (works.isEmpty()) {
      return "";
    }
    List<String> systems =
        works.values().stream().flatMap(List::stream).map(Row::system).distinct().toList();
    List<String> others =
        works.values().stream()
            .flatMap(work -> of(work, Rounds.RIVER).stream())
            .flatMap(river -> river.ratios().stream().map(Row.Ratio::to))
            .distinct()
            .toList();
    List<String> head = new ArrayList<>(List.of("messages a second"));
    head.addAll(systems);
    others.forEach(other -> head.add("river × " + other));
    StringBuilder text = new StringBuilder(MarkdownTable.line(head));
    text.append("|---|").append("--:|".repeat(head.size() - 1)).append("\n");
    works.forEach(
        (line, work) -> {
          List<String> cells = new ArrayList<>(List.of(line));
          systems.forEach(
              system ->
                  cells.add(
                      of(work, system).map(row -> MarkdownTable.format(row.median())).orElse("")));
          others.forEach(
              other ->
                  cells.add(
                      of(work, Rounds.RIVER)
                          .flatMap(river -> river.ratioTo(other))
                          .map(ratio -> MarkdownTable.format(ratio, ""))
                          .orElse("")));
          text.append(MarkdownTable.line(cells));
        });
    return text.toString();
  }

  private static Optional<Row> of(List<Row> rows, String system) {
    return rows.stream().filter(row -> row.system().equals(system)).findFirst();
  }

  private static Stream<Target> allTargets() {
    return ThisJvm.table("/report/targets.txt").map(Target::new);
  }

  static List<String> targetTexts() {
    return allTargets().map(Target::text).toList();
  }

  /** Returns why targets are missed, by their texts: {@code report/reasons.txt}, made by hand. */
  static Map<String, String> reasons() {
    return ThisJvm.table("/report/reasons.txt")
        .collect(Collectors.toMap(cells -> cells.get(0), cells -> cells.get(1)));
  }

  private static String targets(List<Run> runs) {
    return table(allTargets().map(target -> target.line(runs, target.state(runs).text())), "");
  }

  private static String table(Stream<String> lines, String last) {
    String head = "| target | asked | measured | min–max | " + last + "|\n|---|--:|--:|--:|---|\n";
    return lines.collect(Collectors.joining("", head, ""));
  }

  /** Returns how many targets are in which state, the missed ones, and what was not measured. */
  static String missed(List<Run> runs, Map<String, String> reasons) {
    Map<Target.State, Long> counts = new EnumMap<>(Target.State.class);
    allTargets().forEach(target -> counts.merge(target.state(runs), 1L, Long::sum));
    Stream<String> lines =
        allTargets()
            .filter(target -> target.state(runs) == Target.State.MISSED)
            .map(
                target -> target.line(runs, reasons.getOrDefault(target.text(), "no profile yet")));
    long minutes = Duration.ofSeconds(runs.stream().mapToLong(Run::seconds).sum()).toMinutes();
    return Context.text(
            "%d targets are met, %d are not measured yet, and %d are missed%s\n\n%s",
            counts.getOrDefault(Target.State.MET, 0L),
            counts.getOrDefault(Target.State.UNKNOWN, 0L),
            counts.getOrDefault(Target.State.MISSED, 0L),
            minutes == 0 ? ":" : ". Measuring all took " + minutes + " minutes.",
            table(lines, "why "))
        + gaps(runs.stream().flatMap(run -> run.gaps().stream()));
  }

  private static String gaps(Stream<Run.Gap> gaps) {
    return gaps.map(gap -> "\nNot measured: " + gap + ".\n").collect(Collectors.joining());
  }
}
