package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.TimeSource;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private final ParkingTime time = new ParkingTime();

  @Test
  void shouldHoldARate() throws InterruptedException {
    RateLimiter limiter = new RateLimiter(time, 1_000);
    for (int i = 0; i < 500; i++) {
      limiter.acquire(2);
    }

    assertThat(time.parked).isBetween(990_000_000L, 1_000_000_000L);
  }

  @Test
  void shouldNotMakeGoodForALongPause() throws InterruptedException {
    RateLimiter limiter = new RateLimiter(time, 1_000);
    limiter.acquire(1);
    time.parked = 60_000_000_000L;
    limiter.acquire(1);
    limiter.acquire(1_099);

    assertThat(time.parked).isBetween(60_990_000_000L, 61_010_000_000L);
  }

  @Test
  void shouldNotWaitWithoutARate() throws InterruptedException {
    new RateLimiter(time, 0).acquire(1_000_000);

    assertThat(time.parked).isZero();
  }

  /** Time that passes only by parking. */
  private static final class ParkingTime implements TimeSource {
    private long parked;

    @Override
    public long nanoTime() {
      return parked;
    }

    @Override
    public Instant wallTime() {
      return Instant.EPOCH;
    }

    @Override
    public long epochMicros() {
      return 0;
    }

    @Override
    public void park(Object blocker, long nanos) {
      parked += nanos;
    }
  }
}
