package com.wookler.river.benchmarks.report;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What several runs say, as the generated parts of a document. */
final class Report {
  /** The part that compares targets with what was measured. */
  static final String TARGETS = "targets";

  private static final Pattern PART =
      Pattern.compile("(?s)(<!-- generated: ([\\w-]+) -->\n).*?(<!-- end -->)");
  private static final String NOTHING = "\nnot measured yet\n\n";

  private final List<Run> runs;

  Report(List<Run> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * Returns the document's text with all its generated parts made anew, each between {@code <!--
   * generated: NAME -->} and {@code <!-- end -->}; all else stays.
   *
   * @throws IllegalStateException a table that was measured has no place in the document
   */
  String fill(String text) {
    Set<String> homeless = new LinkedHashSet<>(tables());
    PART.matcher(text).results().forEach(part -> homeless.remove(part.group(2)));
    if (!homeless.isEmpty()) {
      throw new IllegalStateException(
          "the document has no <!-- generated: NAME --> for " + homeless);
    }
    return PART.matcher(text)
        .replaceAll(
            part -> Matcher.quoteReplacement(part.group(1) + part(part.group(2)) + part.group(3)));
  }

  private List<String> tables() {
    return runs.stream().flatMap(run -> run.rows().stream()).map(Row::table).distinct().toList();
  }

  private String part(String name) {
    if (name.equals(TARGETS)) {
      return "\n" + Targets.print(runs) + "\n";
    }
    String tables =
        runs.stream()
            .filter(run -> !rows(run, name).isEmpty())
            .map(run -> part(run, rows(run, name)))
            .collect(Collectors.joining());
    return tables.isEmpty() ? NOTHING : tables;
  }

  private static List<Row> rows(Run run, String table) {
    return run.rows().stream().filter(row -> row.table().equals(table)).toList();
  }

  private static String part(Run run, List<Row> rows) {
    return "\n`"
        + run.command()
        + "`, "
        + run.date().toString().substring(0, "2026-01-01".length())
        + ", "
        + run.machine().describe()
        + ":\n\n"
        + MarkdownTable.of(rows)
        + "\n";
  }
}
