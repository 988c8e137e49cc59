package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final Context context = new Context(".", Context.Extent.NORMAL, 0, 1, 1, List.of());
  private final Rounds rounds = new Rounds("table", context, List.of("1"));
  private final List<String> turns = new ArrayList<>();

  /** Reaches each value in turn. */
  private void reach(String label, double... values) {
    int[] round = {0};
    rounds.add(
        label,
        into -> {
          turns.add(label);
          into.add("publish", "msg/s", values[round[0]++]);
        });
  }

  private List<Row> rows(int warmUps) throws Exception {
    rounds.note("note");
    reach("1", 100, 10, 1_000);
    reach("9", 50, 10, 900);
    rounds.run(warmUps, 3 - warmUps);
    return rounds.rows();
  }

  @Test
  void shouldTakeTurnsAndRelateStepsRoundByRound() throws Exception {
    List<Row> rows = rows(0);
    assertThat(turns).containsExactly("1", "9", "1", "9", "1", "9");
    assertThat(rows).extracting(Row::line).containsExactly("publish, 1", "publish, 9");
    assertThat(rows).extracting(Row::system).containsOnly("river");
    assertThat(rows).extracting(Row::median).containsExactly(100.0, 50.0);
    assertThat(rows.get(0).ratio()).isNull();
    assertThat(rows.get(1).ratio()).isEqualTo(new Row.Ratio("1", 0.9, 0.5, 1.0));
    assertThat(rows.get(1).note()).isEqualTo("note; 3 rounds in turn");
  }

  @Test
  void shouldRelateSystemsToTheBaseAlsoIfThatIsTheLast() throws Exception {
    rounds.ofSystems("9");
    List<Row> rows = rows(0);
    assertThat(rows).extracting(Row::line).containsOnly("publish");
    assertThat(rows).extracting(Row::system).containsExactly("1", "9");
    assertThat(rows.get(0).ratio().median()).isEqualTo(1_000 / 900.0);
    assertThat(rows.get(1).ratio()).isNull();
    assertThat(rows.get(0).note()).isEqualTo("note");
  }

  @Test
  void shouldRelateSystemsToFurtherOnesRoundByRound() throws Exception {
    rounds.ofSystems("9", "1", "absent");
    List<Row> rows = rows(0);
    assertThat(rows.get(0).shares()).isEmpty();
    assertThat(rows.get(1).shares()).containsExactly(new Row.Ratio("1", 0.9, 0.5, 1.0));
    assertThat(rows.get(0).ratioTo("9")).contains(rows.get(0).ratio());
    assertThat(rows.get(1).ratioTo("1")).contains(rows.get(1).shares().get(0));
    assertThat(rows.get(1).ratioTo("absent")).isEmpty();
  }

  @Test
  void shouldHaveNoRatioWithoutTheBase() throws Exception {
    rounds.ofSystems("absent");
    assertThat(rows(0)).extracting(Row::ratio).containsOnlyNulls();
  }

  @Test
  void shouldNotCountWarmUps() throws Exception {
    assertThat(rows(1).get(0).median()).isEqualTo(505);
  }

  @Test
  void shouldWantTheSystemsThatAreNamed() {
    assertThat(rounds.wants("1")).isTrue();
    assertThat(rounds.wants("9")).isFalse();
  }

  @Test
  void shouldCloseAllThatWasOpenedTheLastFirst() {
    rounds.closing(() -> turns.add("first"));
    rounds.closing(
        () -> {
          throw new IllegalStateException("second");
        });
    rounds.closing(() -> turns.add("third"));
    assertThatThrownBy(rounds::close).hasMessage("second");
    assertThat(turns).containsExactly("third", "first");
  }

  @Test
  void shouldTakeTheMiddle() {
    assertThat(Row.Spread.of(List.of(9d, 1d, 5d))).isEqualTo(new Row.Spread(5, 1, 9));
    assertThat(Row.Spread.of(List.of(4d, 1d, 2d, 9d))).isEqualTo(new Row.Spread(3, 1, 9));
    assertThat(Row.Spread.of(List.of(7d))).isEqualTo(new Row.Spread(7, 7, 7));
  }

  @Test
  void shouldDividePairByPair() {
    // Medians are 20 and 10: their ratio would be 2.
    assertThat(Row.Spread.ofRatios(List.of(10d, 20d, 90d), List.of(10d, 5d, 30d)))
        .isEqualTo(new Row.Spread(3, 1, 4));
    assertThatThrownBy(() -> Row.Spread.ofRatios(List.of(1d), List.of(1d, 2d)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKeepTheWorstWhereTheWorstIsMeant() {
    String max = Rounds.MAX;
    String slow = Rounds.SLOWEST_SECOND;
    for (double[] each : new double[][] {{1, 1, 1}, {2, 9, 5}, {3, 3, 9}}) {
      Map<String, Double> extra = Map.of("p50 µs", each[0], max, each[1], slow, each[2]);
      rounds.record("line", "river", "µs", 1, extra);
    }
    assertThat(rounds.rows().get(0).extra())
        .containsOnly(Map.entry("p50 µs", 2d), Map.entry(max, 9d), Map.entry(slow, 1d));
  }

  @Test
  void shouldCountFromWhenATurnWasDue() throws Exception {
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
