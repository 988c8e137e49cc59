package com.wookler.river.benchmarks.harness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The messages a second of all systems side by side: a line a work. */
final class Headline {
  private static final Set<String> TABLES =
      Set.of("publish", "forced", "sustained", "consume", "both");

  private Headline() {}

  /** Returns the table of the works that River has done, with River's ratios to some systems. */
  static String of(List<Row> rows) {
    Map<String, Map<String, Row>> works = new LinkedHashMap<>();
    rows.stream()
        .filter(row -> TABLES.contains(row.table()))
        .forEach(
            row ->
                works
                    .computeIfAbsent(row.line(), line -> new LinkedHashMap<>())
                    .put(row.system(), row));
    works.values().removeIf(work -> !work.containsKey(Rounds.RIVER));
    if (works.isEmpty()) {
      return "";
    }
    List<String> systems =
        works.values().stream().map(Map::keySet).flatMap(Set::stream).distinct().toList();
    List<String> others =
        works.values().stream()
            .map(work -> ratios(work).keySet())
            .flatMap(Collection::stream)
            .distinct()
            .toList();
    List<String> head = new ArrayList<>(List.of("messages a second"));
    head.addAll(systems);
    others.forEach(other -> head.add("river × " + other));
    StringBuilder text = new StringBuilder(MarkdownTable.line(head));
    text.append("|---|").append("--:|".repeat(head.size() - 1)).append("\n");
    works.forEach((line, work) -> text.append(line(line, work, systems, others)));
    return text.toString();
  }

  private static Map<String, Row.Ratio> ratios(Map<String, Row> work) {
    Map<String, Row.Ratio> ratios = new LinkedHashMap<>();
    Row river = work.get(Rounds.RIVER);
    if (river != null) {
      river.ratios().forEach(ratio -> ratios.put(ratio.to(), ratio));
    }
    return ratios;
  }

  private static String line(
      String line, Map<String, Row> work, List<String> systems, List<String> others) {
    List<String> cells = new ArrayList<>(List.of(line));
    for (String system : systems) {
      Row row = work.get(system);
      cells.add(row == null ? "" : MarkdownTable.format(row.median()));
    }
    Map<String, Row.Ratio> ratios = ratios(work);
    for (String other : others) {
      Row.Ratio ratio = ratios.get(other);
      cells.add(ratio == null ? "" : MarkdownTable.format(ratio, ""));
    }
    return MarkdownTable.line(cells);
  }
}
