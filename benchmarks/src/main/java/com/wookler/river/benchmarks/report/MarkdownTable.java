package com.wookler.river.benchmarks.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows of one table as Markdown: a line a row, and the notes, each once, numbered below. */
public final class MarkdownTable {
  private final List<Row> rows;
  private final List<String> extras;
  private final List<String> notes;
  private final boolean oneUnit;
  private final boolean ratios;

  private MarkdownTable(List<Row> rows) {
    this.rows = rows;
    this.extras = distinct(rows.stream().flatMap(row -> row.extra().keySet().stream()).toList());
    this.notes = distinct(rows.stream().map(Row::note).filter(note -> !note.isEmpty()).toList());
    this.oneUnit = rows.stream().map(Row::unit).distinct().count() == 1;
    this.ratios = rows.stream().anyMatch(row -> row.ratio() != null);
  }

  /** Returns the table, with an end of line after its last one. */
  public static String of(List<Row> rows) {
    return rows.isEmpty() ? "" : new MarkdownTable(rows).print();
  }

  private static List<String> distinct(Collection<String> all) {
    return List.copyOf(new LinkedHashSet<>(all));
  }

  private String print() {
    List<String> lines = new ArrayList<>();
    List<String> head = head();
    lines.add(line(head));
    lines.add("|---|---" + "|--:".repeat(head.size() - 2) + "|");
    rows.forEach(row -> lines.add(line(cells(row))));
    if (!notes.isEmpty()) {
      lines.add("");
    }
    for (int i = 0; i < notes.size(); i++) {
      lines.add((i + 1) + ". " + systems(notes.get(i)) + ": " + notes.get(i) + ".");
    }
    return String.join("\n", lines) + "\n";
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  /** Returns the systems that have this note. */
  private String systems(String note) {
    return rows.stream()
        .filter(row -> row.note().equals(note))
        .map(Row::system)
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private List<String> head() {
    List<String> head = new ArrayList<>(List.of("work", "system"));
    head.add(oneUnit ? rows.get(0).unit() : "median");
    head.add("min–max");
    if (ratios) {
      head.add("ratio (min–max)");
    }
    head.addAll(extras);
    return head;
  }

  private List<String> cells(Row row) {
    List<String> cells = new ArrayList<>();
    cells.add(row.line());
    cells.add(row.system() + mark(row.note()));
    cells.add(Numbers.format(row.median()) + (oneUnit ? "" : " " + row.unit()));
    cells.add(Numbers.range(row.min(), row.max()));
    if (ratios) {
      cells.add(ratio(row.ratio()));
    }
    for (String extra : extras) {
      Double figure = row.extra().get(extra);
      cells.add(figure == null ? "" : Numbers.format(figure));
    }
    return cells;
  }

  private String mark(String note) {
    return note.isEmpty() ? "" : " (" + (notes.indexOf(note) + 1) + ")";
  }

  private static String ratio(@Nullable Ratio ratio) {
    return ratio == null
        ? ""
        : Numbers.format(ratio.median())
            + " × "
            + ratio.to()
            + " ("
            + Numbers.range(ratio.min(), ratio.max())
            + ")";
  }
}
