package com.wookler.river.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private final List<String> turns = new ArrayList<>();

  private final class Counted implements Trial {
    private final String label;
    private final double[] values;
    private int round;

    Counted(String label, double... values) {
      this.label = label;
      this.values = values;
    }

    @Override
    public String label() {
      return label;
    }

    @Override
    public List<Figure> round() {
      turns.add(label);
      return List.of(new Figure("publish", "msg/s", values[round++]));
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldTakeTurnsAndRelateRoundByRound() throws Exception {
    List<Row> rows =
        Comparison.run(
            List.of(new Counted("1", 100, 10, 1_000), new Counted("9", 50, 10, 900)), 0, 3, "note");
    assertThat(turns).containsExactly("1", "9", "1", "9", "1", "9");
    assertThat(rows).extracting(Row::line).containsExactly("publish, 1", "publish, 9");
    assertThat(rows).extracting(Row::median).containsExactly(100.0, 50.0);
    assertThat(rows.get(0).ratio()).isNull();
    assertThat(rows.get(1).ratio()).isEqualTo(new Ratio("1", 0.9, 0.5, 1.0));
    assertThat(rows.get(1).note()).isEqualTo("note; 3 rounds in turn");
  }

  @Test
  void shouldTakeTheMiddleOfAnEvenNumber() {
    assertThat(Spread.of(4, 1, 3, 2)).isEqualTo(new Spread(2.5, 1, 4, 4));
  }

  @Test
  void shouldCountFromWhenACallWasDue() {
    Pacer.Lateness lateness =
        new Pacer(1_000)
            .run(
                20,
                () -> false,
                number -> {
                  long end = System.nanoTime() + (number == 0 ? 10_000_000 : 0);
                  while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                  }
                });
    assertThat(lateness.count()).isEqualTo(20);
    assertThat(lateness.micros(1)).isGreaterThanOrEqualTo(10_000);
    assertThat(lateness.micros(0.5)).isPositive(); // those that were due during the pause, too
  }
}
