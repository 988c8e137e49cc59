package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void shouldNotWaitUnlessToldTo() {
    assertThat(Backoff.none().millis(7, 1)).isZero();
    assertThat(Backoff.none().millis(7, 99)).isZero();
  }

  @Test
  void shouldWaitTheSameEachTimeWhenFixed() {
    Backoff fixed = Backoff.fixed(Duration.ofSeconds(5));
    assertThat(fixed.millis(7, 1)).isEqualTo(5_000);
    assertThat(fixed.millis(8, 99)).isEqualTo(5_000);
  }

  @Test
  void shouldWaitALittleAfterFailuresWhereItIsNone() {
    Backoff none = Backoff.none();
    assertThat(List.of(none.afterFailure(7, 1), none.afterFailure(7, 2), none.afterFailure(7, 4)))
        .containsExactly(0L, 1L, 4L);
    assertThat(none.afterFailure(7, 11)).isEqualTo(512);
    assertThat(none.afterFailure(7, 12)).isEqualTo(1_000);
    assertThat(none.afterFailure(7, Integer.MAX_VALUE)).isEqualTo(1_000);
    assertThat(Backoff.fixed(Duration.ofHours(1)).afterFailure(7, 3)).isEqualTo(3_600_000);
  }

  @Test
  void shouldGoThroughAListAndStayAtItsEnd() {
    Backoff list = Backoff.list(Duration.ofMillis(1), Duration.ZERO, Duration.ofMillis(30));
    assertThat(List.of(list.millis(7, 1), list.millis(7, 2), list.millis(7, 3)))
        .containsExactly(1L, 0L, 30L);
    assertThat(list.millis(7, 4)).isEqualTo(30);
  }

  @Test
  void shouldDoubleUpToTheLongest() {
    Backoff exact = Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10), 2, 0);
    assertThat(exact.millis(7, 1)).isEqualTo(1_000);
    assertThat(exact.millis(7, 4)).isEqualTo(8_000);
    assertThat(exact.millis(7, 5)).isEqualTo(10_000);
    assertThat(exact.millis(7, 100_000)).isEqualTo(10_000);
  }

  @Test
  void shouldSpreadByJitterButNeverBeyondIt() {
    Backoff spread = Backoff.exponential(Duration.ofSeconds(10), Duration.ofSeconds(10), 1, 0.5);
    Set<Long> seen = new HashSet<>();
    for (long sequence = 0; sequence < 100; sequence++) {
      long millis = spread.millis(sequence, 1);
      assertThat(millis).isBetween(5_000L, 10_000L);
      seen.add(millis / 500);
    }
    assertThat(seen).hasSizeGreaterThan(8);
  }

  @Test
  void shouldReadWhatItWrites() {
    for (Backoff backoff :
        List.of(
            Backoff.none(),
            Backoff.fixed(Duration.ofSeconds(5)),
            Backoff.list(Duration.ofSeconds(1), Duration.ofMinutes(2)),
            Backoff.exponential(Duration.ofMillis(5), Duration.ofHours(1)))) {
      assertThat(Backoff.parse(backoff.toString())).isEqualTo(backoff);
    }
    assertThat(Backoff.parse("Exponential 1ss 5mm"))
        .isEqualTo(Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(5)));
  }

  @Test
  void shouldRefuseWhatIsNone() {
    for (String wrong :
        List.of(
            "",
            "fixed",
            "5ss",
            "list",
            "none 1ss",
            "exponential 5ss",
            "exponential 0 1ss",
            "exponential 5ss 1ss",
            "exponential 1ss 5ss 0.5 0",
            "exponential 1ss 5ss 2 x")) {
      assertThatThrownBy(() -> Backoff.parse(wrong)).isInstanceOf(ConfigurationException.class);
    }
  }
}
