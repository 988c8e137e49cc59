package com.wookler.river.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The targets of {@code report/targets.txt}, with what was measured of them in all runs together;
 * where a row is in several, the last run counts.
 */
final class Targets {
  private static final String HEAD = "| target | asked | measured | |\n|---|--:|--:|---|\n";

  private final List<Row> rows;

  private Targets(List<Run> runs) {
    this.rows =
        runs.stream()
            .flatMap(run -> run.rows().stream())
            .filter(row -> row.system().equals("river"))
            .toList();
  }

  /** Returns the table of all targets. */
  static String print(List<Run> runs) {
    Targets targets = new Targets(runs);
    return HEAD
        + text()
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> targets.row(List.of(line.split(" \\| ", -1))))
            .collect(Collectors.joining());
  }

  private static String text() {
    try (InputStream in = Targets.class.getResourceAsStream("/report/targets.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the line of the table: text, bound, unit, figure and perhaps line and which. */
  private String row(List<String> target) {
    String text = target.get(0);
    boolean least = target.get(1).startsWith("≥");
    double threshold = Double.parseDouble(target.get(1).substring(2));
    String unit = target.get(2);
    String line = target.size() > 4 ? target.get(4) : text;
    String which = target.size() > 5 ? target.get(5) : "";
    Optional<Double> figure = figure(target.get(3), line, which);
    return String.format(
        Locale.ROOT,
        "| %s | %s %s %s | %s | %s |\n",
        text,
        least ? "≥" : "≤",
        Numbers.format(threshold),
        unit,
        figure.map(value -> Numbers.format(value) + " " + unit).orElse(""),
        figure
            .map(value -> least ? value >= threshold : value <= threshold)
            .map(met -> met ? "met" : "**missed**")
            .orElse("not measured yet"));
  }

  private Optional<Double> figure(String figure, String line, String which) {
    return switch (figure) {
      case "median" -> river(line).map(Row::median);
      case "ratio" -> river(line).map(Row::ratio).map(Ratio::median);
      case "extra" -> river(line).map(row -> row.extra().get(which));
      case "own" ->
          river(line).flatMap(row -> river(which).map(other -> row.median() / other.median()));
      default -> throw new IllegalStateException("targets.txt has no figure '" + figure + "'");
    };
  }

  private Optional<Row> river(String line) {
    return rows.stream().filter(row -> row.line().equals(line)).reduce((earlier, later) -> later);
  }
}
