package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryBackoffTest {
  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final RetryBackoff backoff = new RetryBackoff(time);

  @Test
  void shouldWaitTwiceAsLongAfterEachFailureUpToAMinute() {
    assertThat(backoff.isTime()).isTrue();
    for (long expected : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(backoff.failed()).isEqualTo(expected);
      time.advance(Duration.ofSeconds(expected).minusNanos(1));
      assertThat(backoff.isTime()).isFalse();
      time.advance(Duration.ofNanos(1));
      assertThat(backoff.isTime()).isTrue();
    }
  }

  @Test
  void shouldBeginAnewAfterASuccess() {
    backoff.failed();
    backoff.failed();
    backoff.succeeded();
    assertThat(backoff.failed()).isEqualTo(1);
  }

  @Test
  void shouldPostponeWithoutCountingAFailure() {
    backoff.postpone();
    assertThat(backoff.isTime()).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertThat(backoff.isTime()).isTrue();
    assertThat(backoff.failed()).isEqualTo(1);
  }
}
