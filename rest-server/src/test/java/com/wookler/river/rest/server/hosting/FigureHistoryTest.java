package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FigureHistoryTest {
  @ParameterizedTest
  @EnumSource(PastSpan.class)
  void shouldKeepTheLastMeansOfEachSpan(PastSpan span) {
    FigureHistory history = new FigureHistory(2);
    assertThat(history.values(0, span)).isEmpty();
    int each = span.samples();
    int all = each * (span.size() + 2) + each - 1; // the last samples make no mean yet
    for (int i = 0; i < all; i++) {
      history.add(i, 2 * i);
    }
    float middle = (each - 1) / 2f;
    float[] values = history.values(1, span);
    assertThat(values).hasSize(span.size());
    assertThat(values[0]).isEqualTo(2 * (2 * each + middle));
    assertThat(values[span.size() - 1]).isEqualTo(2 * ((span.size() + 1) * each + middle));
    assertThat(history.values(0, span)[0]).isEqualTo(2 * each + middle);
  }

  @Test
  void shouldKeepTenMinutesAnHourAndADay() {
    assertThat(whole(PastSpan.TEN_MINUTES)).isEqualTo(Duration.ofMinutes(10));
    assertThat(whole(PastSpan.HOUR)).isGreaterThanOrEqualTo(Duration.ofHours(1));
    assertThat(whole(PastSpan.DAY)).isGreaterThanOrEqualTo(Duration.ofDays(1));
  }

  private static Duration whole(PastSpan span) {
    return span.step().multipliedBy(span.size());
  }
}
