package com.wookler.river.benchmarks.harness;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of contenders in turn, A B A B and so on, so that a machine that drifts drifts under all
 * of them alike; and the rows that their figures make: median and spread of a series, and its ratio
 * to the base, round by round. Confined to one thread.
 *
 * <p>A series is the figures of one metric that one contender reached. Contenders are either steps
 * of what may grow, each in the text of the line and related to the first step, or systems, each in
 * the column of systems and related to a system that is named.
 */
public final class Rounds implements Closeable {
  /** The system whose figures targets are held to. */
  public static final String RIVER = "river";

  /** Extra figure of which the greatest of all rounds counts. */
  public static final String MAX = "max µs";

  /** Extra figure of which the least of all rounds counts. */
  public static final String SLOWEST_SECOND = "slowest second msg/s";

  private final String table;
  private final Context context;
  private final List<String> wanted;
  private final Map<String, Contender> contenders = new LinkedHashMap<>();
  private final Map<String, Map<String, Series>> all = new LinkedHashMap<>();
  private final Deque<Closeable> open = new ArrayDeque<>();
  private @Nullable String base; // null for steps
  private List<String> shares = List.of(); // further systems to which all are related
  private UnaryOperator<String> note = label -> "";

  private record Series(
      String unit, String note, List<Double> figures, List<Map<String, Double>> extras) {}

  /** Takes what a round reached. */
  @FunctionalInterface
  public interface Recorder {
    /** Takes one figure of a metric that all rounds of all contenders have, and further ones. */
    void add(String metric, String unit, double value, Map<String, Double> extra);

    /** Takes one figure without further ones. */
    default void add(String metric, String unit, double value) {
      add(metric, unit, value, Map.of());
    }
  }

  /** One of those that are compared. */
  @FunctionalInterface
  public interface Contender {
    /** Does the work once. */
    void round(Recorder into) throws Exception;
  }

  /** Creates it for steps; if systems are named no other ones take part. */
  public Rounds(String table, Context context, List<String> wanted) {
    this.table = table;
    this.context = context;
    this.wanted = wanted;
  }

  /** Makes contenders systems, which are related to one of them, and to further ones, if there. */
  public void ofSystems(String relatedTo, String... further) {
    base = relatedTo;
    shares = List.of(further);
  }

  /** Sets the note of all metrics that are new from now on. */
  public void note(String text) {
    note(label -> text);
  }

  /** Sets the note by contender. */
  public void note(UnaryOperator<String> byLabel) {
    note = byLabel;
  }

  /** Returns whether the user has this system take part. */
  public boolean wants(String system) {
    return wanted.isEmpty() || wanted.contains(system);
  }

  /** Returns whether the user has named this system. */
  public boolean names(String system) {
    return wanted.contains(system);
  }

  /** Adds a contender. */
  public void add(String label, Contender contender) {
    contenders.put(label, contender);
  }

  /** Keeps something until this is closed, and returns it. */
  public <C extends Closeable> C closing(C closeable) {
    open.push(closeable);
    return closeable;
  }

  /** Does all rounds of the contenders. */
  public void run(int warmUps, int rounds) throws Exception {
    for (int i = 0; i < warmUps; i++) {
      for (Contender contender : contenders.values()) {
        contender.round((metric, unit, value, extra) -> {});
      }
    }
    for (int i = 0; i < context.rounds(rounds); i++) {
      for (Map.Entry<String, Contender> each : contenders.entrySet()) {
        each.getValue()
            .round(
                (metric, unit, value, extra) -> record(metric, each.getKey(), unit, value, extra));
      }
    }
  }

  /** Takes one round's figure of a contender. */
  public void record(
      String metric, String label, String unit, double value, Map<String, Double> extra) {
    Series series =
        all.computeIfAbsent(metric, first -> new LinkedHashMap<>())
            .computeIfAbsent(
                label,
                first -> new Series(unit, note.apply(label), new ArrayList<>(), new ArrayList<>()));
    series.figures.add(value);
    series.extras.add(extra);
    System.err.println(
        Context.text(
            "%s, round %d: %s %,.1f %s", metric, series.figures.size(), label, value, unit));
  }

  /** Takes one round's figure of River, at no step. */
  public void add(String metric, String unit, double value) {
    record(metric, base == null ? "" : RIVER, unit, value, Map.of());
  }

  /** Returns the rows of all figures so far. */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    all.forEach(
        (metric, series) ->
            series.forEach((label, each) -> rows.add(row(metric, label, series, each))));
    return rows;
  }

  private Row row(String metric, String label, Map<String, Series> contestants, Series series) {
    int rounds = series.figures.size();
    String times = "; " + rounds + (rounds == 1 ? " round" : " rounds in turn");
    Row.Spread spread = Row.Spread.of(series.figures);
    return new Row(
        table,
        base != null || label.isEmpty() ? metric : metric + ", " + label,
        base != null ? label : RIVER,
        series.unit,
        spread.median(),
        spread.min(),
        spread.max(),
        ratio(base == null ? contestants.keySet().iterator().next() : base, label, contestants),
        shares.stream().flatMap(to -> Stream.ofNullable(ratio(to, label, contestants))).toList(),
        merge(series.extras),
        base != null ? series.note : series.note + times);
  }

  /** Returns the ratio of a contestant to another one; null if that is itself or not there. */
  private static Row.@Nullable Ratio ratio(
      String to, String label, Map<String, Series> contestants) {
    Series other = contestants.get(to);
    Series series = contestants.get(label);
    if (other == null || series == null || to.equals(label)) {
      return null;
    }
    Row.Spread spread = Row.Spread.ofRatios(series.figures, other.figures);
    return new Row.Ratio(to, spread.median(), spread.min(), spread.max());
  }

  /** Returns one figure for all rounds: the worst where the worst is meant, else the median. */
  private static Map<String, Double> merge(List<Map<String, Double>> rounds) {
    Map<String, Double> merged = new LinkedHashMap<>();
    for (String name : rounds.get(0).keySet()) {
      Row.Spread spread =
          Row.Spread.of(rounds.stream().map(round -> round.getOrDefault(name, 0d)).toList());
      merged.put(
          name,
          switch (name) {
            case MAX -> spread.max();
            case SLOWEST_SECOND -> spread.min();
            default -> spread.median();
          });
    }
    return merged;
  }

  /** Closes what was opened last first; a failure is thrown when all are closed. */
  @Override
  public void close() throws IOException {
    if (!open.isEmpty()) {
      try {
        open.pop().close();
      } finally {
        close();
      }
    }
  }
}
