package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Spread;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SamplesTest {
  private static final String SLOW = Samples.SLOWEST_SECOND;

  private final Context context = new Context(Path.of("."), Context.Extent.NORMAL, 0, line -> {});
  private final List<String> turns = new ArrayList<>();

  /** Reaches each value in turn. */
  private Rounds.Contender reaching(String label, double... values) {
    int[] round = {0};
    return into -> {
      turns.add(label);
      into.add("publish", "msg/s", values[round[0]++]);
    };
  }

  private List<Row> rows(Samples samples, int warmUps) throws Exception {
    try (Rounds rounds = new Rounds(samples, context)) {
      rounds.add("1", reaching("1", 100, 10, 1_000));
      rounds.add("9", reaching("9", 50, 10, 900));
      rounds.run(warmUps, 3 - warmUps);
    }
    return samples.rows("note");
  }

  @Test
  void shouldTakeTurnsAndRelateStepsRoundByRound() throws Exception {
    List<Row> rows = rows(Samples.ofSteps("scale"), 0);
    assertThat(turns).containsExactly("1", "9", "1", "9", "1", "9");
    assertThat(rows).extracting(Row::line).containsExactly("publish, 1", "publish, 9");
    assertThat(rows).extracting(Row::system).containsOnly("river");
    assertThat(rows).extracting(Row::median).containsExactly(100.0, 50.0);
    assertThat(rows.get(0).ratio()).isNull();
    assertThat(rows.get(1).ratio()).isEqualTo(new Ratio("1", 0.9, 0.5, 1.0));
    assertThat(rows.get(1).note()).isEqualTo("note; 3 rounds in turn");
  }

  @Test
  void shouldRelateSystemsToTheBaseWhereverThatStands() throws Exception {
    List<Row> rows = rows(Samples.ofSystems("publish", "9"), 0);
    assertThat(rows).extracting(Row::line).containsOnly("publish");
    assertThat(rows).extracting(Row::system).containsExactly("1", "9");
    assertThat(rows.get(0).ratio().median()).isEqualTo(1_000 / 900.0);
    assertThat(rows.get(1).ratio()).isNull();
    assertThat(rows.get(0).note()).isEqualTo("note");
  }

  @Test
  void shouldHaveNoRatioWithoutTheBase() throws Exception {
    assertThat(rows(Samples.ofSystems("publish", "absent"), 0))
        .extracting(Row::ratio)
        .containsOnlyNulls();
  }

  @Test
  void shouldNotCountWarmUps() throws Exception {
    assertThat(rows(Samples.ofSteps("scale"), 1).get(0).median()).isEqualTo(505);
  }

  @Test
  void shouldCloseAllThatWasOpenedTheLastFirst() {
    assertThatThrownBy(
            () -> {
              try (Rounds rounds = new Rounds(Samples.ofSteps("scale"), context)) {
                rounds.closing(() -> turns.add("first"));
                rounds.closing(
                    () -> {
                      throw new IllegalStateException("second");
                    });
                rounds.closing(() -> turns.add("third"));
              }
            })
        .hasMessage("second");
    assertThat(turns).containsExactly("third", "first");
  }

  @Test
  void shouldTakeTheMiddle() {
    assertThat(Spread.of(List.of(9d, 1d, 5d))).isEqualTo(new Spread(5, 1, 9));
    assertThat(Spread.of(List.of(4d, 1d, 2d, 9d))).isEqualTo(new Spread(3, 1, 9));
  }

  @Test
  void shouldDividePairByPair() {
    // Medians are 20 and 10: their ratio would be 2.
    assertThat(Spread.ofRatios(List.of(10d, 20d, 90d), List.of(10d, 5d, 30d)))
        .isEqualTo(new Spread(3, 1, 4));
    assertThatThrownBy(() -> Spread.ofRatios(List.of(1d), List.of(1d, 2d)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKeepTheWorstWhereTheWorstIsMeant() {
    Samples samples = Samples.ofSystems("latency", "none");
    for (double[] round : new double[][] {{1, 1, 1}, {2, 9, 5}, {3, 3, 9}}) {
      samples.add(
          "line",
          "river",
          "µs",
          1,
          Map.of("p50 µs", round[0], Samples.MAX, round[1], SLOW, round[2]));
    }
    assertThat(samples.rows("").get(0).extra())
        .containsOnly(Map.entry("p50 µs", 2d), Map.entry(Samples.MAX, 9d), Map.entry(SLOW, 1d));
  }

  @Test
  void shouldCountFromWhenATurnWasDue() {
    Latencies latencies =
        Latencies.paced(
            1_000,
            20,
            () -> false,
            turn -> {
              long end = System.nanoTime() + (turn == 0 ? 10_000_000 : 0);
              while (System.nanoTime() < end) {
                Thread.onSpinWait();
              }
            });
    assertThat(latencies.count()).isEqualTo(20);
    assertThat(latencies.micros(100)).isGreaterThanOrEqualTo(10_000);
    assertThat(latencies.micros(50)).isPositive(); // those that were due during the pause, too
  }
}
