package com.wookler.river.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {
  @ParameterizedTest
  @CsvSource({
    "1923813, 1923813",
    "7B, 7",
    "64KB, 65536",
    "64MB, 67108864",
    "1423 MB, 1492123648",
    "1 gb, 1073741824",
    "1024TB, 1125899906842624",
    "1PB, 1125899906842624",
    "0, 0",
  })
  void shouldReadSizes(String text, long expected) {
    assertThat(Sizes.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5MB", "MB", "64M", "1 XB", "9999PB", "99999999999999999999"})
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> Sizes.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
