package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FigureHistoryTest {
  @Test
  void shouldKeepTheLastSamplesAndMeans() {
    FigureHistory history = new FigureHistory(2);
    assertThat(history.values(0, false)).isEmpty();
    int all = FigureHistory.SAMPLES_A_MEAN * FigureHistory.MEANS + 16;
    for (int i = 0; i < all; i++) {
      history.add(i, 2 * i);
    }
    float[] samples = history.values(0, false);
    assertThat(samples).hasSize(FigureHistory.SAMPLES);
    assertThat(samples[0]).isEqualTo((float) (all - FigureHistory.SAMPLES));
    assertThat(samples[FigureHistory.SAMPLES - 1]).isEqualTo((float) (all - 1));
    float[] means = history.values(1, true);
    assertThat(means).hasSize(FigureHistory.MEANS);
    assertThat(means[0]).isEqualTo(2 * (16 + 3.5f));
    assertThat(means[FigureHistory.MEANS - 1]).isEqualTo(2 * (all - 8 + 3.5f));
  }
}
