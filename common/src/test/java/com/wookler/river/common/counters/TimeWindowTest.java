package com.wookler.river.common.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeWindowTest {
  private static final Instant NOW = Instant.parse("2014-09-25T16:02:35.499Z");

  @ParameterizedTest
  @CsvSource({
    "PT30S, 2014-09-25T16:02:30Z, 2014-09-25T16:03:00Z",
    "PT1M, 2014-09-25T16:02:00Z, 2014-09-25T16:03:00Z",
    "PT24H, 2014-09-25T00:00:00Z, 2014-09-26T00:00:00Z",
    "PT0.02S, 2014-09-25T16:02:35.480Z, 2014-09-25T16:02:35.500Z",
  })
  void shouldCountWindowsFromTheEpoch(Duration length, Instant start, Instant end) {
    TimeWindow window = new TimeWindow(length, () -> NOW);

    assertThat(window.startOf(window.now())).isEqualTo(start);
    assertThat(window.endOf(NOW)).isEqualTo(end);
    assertThat(window.startOf(end)).isEqualTo(end);
    assertThat(window.length()).isEqualTo(length);
  }

  @Test
  void shouldFindWindowsBeforeTheEpoch() {
    TimeWindow window = new TimeWindow(Duration.ofSeconds(30), () -> NOW);

    assertThat(window.startOf(Instant.ofEpochSecond(-1))).isEqualTo(Instant.ofEpochSecond(-30));
  }

  @Test
  void shouldRefuseWindowsWithoutLength() {
    assertThatThrownBy(() -> new TimeWindow(Duration.ofNanos(999_999), () -> NOW))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TimeWindow(Duration.ofSeconds(Long.MAX_VALUE), () -> NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("292 years");
  }
}
