package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class MicrosTest {
  @Test
  void shouldGiveTheFirstMicrosecondNotBeforeATime() {
    assertThat(Micros.atOrAfter(Instant.EPOCH)).isZero();
    assertThat(Micros.atOrAfter(Instant.ofEpochSecond(2, 1))).isEqualTo(2_000_001);
    assertThat(Micros.atOrAfter(Instant.ofEpochSecond(2, 1_000))).isEqualTo(2_000_001);
    assertThat(Micros.atOrAfter(Instant.ofEpochSecond(-1, 999_999_999))).isZero();
    assertThat(Micros.atOrAfter(Instant.ofEpochSecond(-1, 1))).isEqualTo(-999_999);
  }

  @Test
  void shouldTakeTimesOfAllCenturies() {
    Instant early = Instant.parse("1300-09-21T21:28:27Z");
    Instant late = Instant.parse("9999-12-31T23:59:59Z");
    assertThat(Micros.toInstant(Micros.atOrAfter(early))).isEqualTo(early);
    assertThat(Micros.toInstant(Micros.atOrAfter(late))).isEqualTo(late);
    assertThat(Micros.atOrAfter(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
    assertThat(Micros.atOrAfter(Instant.MAX)).isEqualTo(Long.MAX_VALUE);
  }
}
