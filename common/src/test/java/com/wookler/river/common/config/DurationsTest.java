package com.wookler.river.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "100, PT0.1S",
    "0, PT0S",
    "500ms, PT0.5S",
    "30ss, PT30S",
    "30SS, PT30S",
    "30s, PT30S",
    "30S, PT30S",
    "1mm, PT1M",
    "5m, PT5M",
    "5M, PT5M",
    "5MS, PT0.005S",
    "2h, PT2H",
    "7d, P7D",
    "7D, P7D",
    "'30 s', PT30S",
    "10Mm, PT10M",
    "2hh, PT2H",
    "1dd, P1D",
    "' 30 ss ', PT30S",
    "PT1M30S, PT1M30S",
    "pt1m, PT1M",
    "P2D, P2D",
  })
  void shouldReadDurations(String text, Duration expected) {
    assertThat(Durations.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "-5ss",
        "PT-1S",
        "1.5ss",
        "1.5s",
        "1h30m",
        "5sm",
        "5mmm",
        "5 m s",
        "5min",
        "5sec",
        "5mo",
        "5y",
        "5us",
        "5ns",
        "ss",
        "10 minutes",
        "300000000000000dd",
        "99999999999999999999"
      })
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
