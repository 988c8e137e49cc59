package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.benchmarks.utils.Spread;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void shouldTakeTheMiddleOfAnOddNumber() {
    assertThat(Spread.of(List.of(9d, 1d, 5d))).isEqualTo(new Spread(5, 1, 9));
  }

  @Test
  void shouldTakeTheMeanOfTheMiddleTwo() {
    assertThat(Spread.of(List.of(4d, 1d, 2d, 9d))).isEqualTo(new Spread(3, 1, 9));
  }

  @Test
  void shouldDividePairByPair() {
    // Medians are 20 and 10: their ratio would be 2.
    assertThat(Spread.ofRatios(List.of(10d, 20d, 90d), List.of(10d, 5d, 30d)))
        .isEqualTo(new Spread(3, 1, 4));
  }

  @Test
  void shouldRefuseFiguresWithoutPartners() {
    assertThatThrownBy(() -> Spread.ofRatios(List.of(1d), List.of(1d, 2d)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKeepTheWorstWhereTheWorstIsMeant() {
    Map<String, Double> merged =
        Figures.merge(
            List.of(
                Map.of(Figures.P50, 1d, Figures.MAX, 1d, Figures.SLOWEST_SECOND, 1d),
                Map.of(Figures.P50, 2d, Figures.MAX, 9d, Figures.SLOWEST_SECOND, 5d),
                Map.of(Figures.P50, 3d, Figures.MAX, 3d, Figures.SLOWEST_SECOND, 9d)));

    assertThat(merged)
        .containsOnly(
            Map.entry(Figures.P50, 2d),
            Map.entry(Figures.MAX, 9d),
            Map.entry(Figures.SLOWEST_SECOND, 1d));
  }
}
