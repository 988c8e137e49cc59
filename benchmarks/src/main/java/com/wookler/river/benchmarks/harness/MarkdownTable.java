package com.wookler.river.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rows of one table as Markdown: a line a row, and the notes, each once, numbered below. */
final class MarkdownTable {
  private final List<Row> rows;
  private final List<String> shares; // systems to which rows are related, beside the base
  private final List<String> extras;
  private final List<String> notes;
  private final boolean oneUnit;
  private final boolean ratios;

  private MarkdownTable(List<Row> rows) {
    this.rows = rows;
    this.shares =
        rows.stream().flatMap(row -> row.shares().stream()).map(Row.Ratio::to).distinct().toList();
    this.extras = rows.stream().flatMap(row -> row.extra().keySet().stream()).distinct().toList();
    this.notes = rows.stream().map(Row::note).filter(note -> !note.isEmpty()).distinct().toList();
    this.oneUnit = rows.stream().map(Row::unit).distinct().count() == 1;
    this.ratios = rows.stream().anyMatch(row -> row.ratio() != null);
  }

  /** Returns the table of one row or more, with an end of line after its last one. */
  static String of(List<Row> rows) {
    return new MarkdownTable(rows).print();
  }

  /** Returns all tables, each after an empty line. */
  static String all(List<Row> rows) {
    return rows.stream()
        .collect(Collectors.groupingBy(Row::table, LinkedHashMap::new, Collectors.toList()))
        .values()
        .stream()
        .map(table -> "\n" + of(table))
        .collect(Collectors.joining());
  }

  /** Returns a figure with three digits that mean something, and no more. */
  static String format(double figure) {
    double size = Math.abs(figure);
    if (size >= 100 || figure == 0) {
      return Context.text("%,.0f", figure);
    }
    return size >= 10 ? Context.text("%.1f", figure) : Context.text("%.2f", figure);
  }

  /** Returns a ratio with its range. */
  static String format(Row.Ratio ratio, String unit) {
    return format(ratio.median()) + unit + " (" + range(ratio.min(), ratio.max()) + ")";
  }

  /** Returns two figures as a range. */
  static String range(double min, double max) {
    return format(min) + "–" + format(max);
  }

  private String print() {
    List<String> head = new ArrayList<>(List.of("work", "system"));
    head.add(oneUnit ? rows.get(0).unit() : "median");
    head.add("min–max");
    if (ratios) {
      head.add("ratio (min–max)");
    }
    shares.forEach(system -> head.add("× " + system));
    head.addAll(extras);
    StringBuilder text = new StringBuilder(line(head));
    text.append("|---|---").append("|--:".repeat(head.size() - 2)).append("|\n");
    rows.forEach(row -> text.append(line(cells(row))));
    for (int i = 0; i < notes.size(); i++) {
      String note = notes.get(i);
      text.append(i == 0 ? "\n" : "");
      text.append(i + 1).append(". ").append(systems(note)).append(": ").append(note).append(".\n");
    }
    return text.toString();
  }

  /** Returns a line of a table. */
  static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  /** Returns the systems that have this note. */
  private String systems(String note) {
    Stream<Row> having = rows.stream().filter(row -> row.note().equals(note));
    return having.map(Row::system).distinct().collect(Collectors.joining(", "));
  }

  private List<String> cells(Row row) {
    List<String> cells = new ArrayList<>();
    cells.add(row.line());
    int note = notes.indexOf(row.note());
    cells.add(row.system() + (note < 0 ? "" : " (" + (note + 1) + ")"));
    cells.add(format(row.median()) + (oneUnit ? "" : " " + row.unit()));
    cells.add(range(row.min(), row.max()));
    if (ratios) {
      Row.Ratio ratio = row.ratio();
      cells.add(ratio == null ? "" : format(ratio, " × " + ratio.to()));
    }
    for (String system : shares) {
      Stream<Row.Ratio> share = row.shares().stream().filter(each -> each.to().equals(system));
      cells.add(share.map(each -> format(each, "")).findFirst().orElse(""));
    }
    for (String extra : extras) {
      Double figure = row.extra().get(extra);
      cells.add(figure == null ? "" : format(figure));
    }
    return cells;
  }
}
