package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.wookler.river.testing.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.event.Level;

class TimeSourceTest {
  private static final Instant START = Instant.parse("2026-01-02T03:04:05.000006Z");

  @Test
  void shouldStandStillUntilItIsMoved() {
    ManualTimeSource time = new ManualTimeSource(START);
    long nanos = time.nanoTime();

    time.advance(Duration.ofMillis(1_500));

    assertThat(time.wallTime()).isEqualTo(START.plusMillis(1_500));
    assertThat(time.nanoTime() - nanos).isEqualTo(1_500_000_000L);
    assertThat(time.epochMicros()).isEqualTo(START.getEpochSecond() * 1_000_000 + 6 + 1_500_000);
    time.setTo(START.plusSeconds(10));
    assertThat(time.wallTime()).isEqualTo(START.plusSeconds(10));
    assertThat(time.nanoTime() - nanos).isEqualTo(10_000_000_000L);
  }

  @Test
  void shouldNotGoBack() {
    ManualTimeSource time = new ManualTimeSource(START);

    assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> time.setTo(START.minusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(time.wallTime()).isEqualTo(START);
  }

  @Test
  void shouldNotGoOnBeyondWhatALongHas() {
    ManualTimeSource time = new ManualTimeSource(START);
    time.advance(Duration.ofNanos(1));

    assertThatThrownBy(() -> time.advance(Duration.ofNanos(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> time.advance(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(time.wallTime()).isEqualTo(START.plusNanos(1));
  }

  @Test
  @Timeout(120)
  void shouldParkForAMomentOnlyWhenMovedByHand() {
    ManualTimeSource time = new ManualTimeSource(START);

    time.park(this, Long.MAX_VALUE);
    time.park(this, 0);
    time.park(this, -5);

    assertThat(time.wallTime()).isEqualTo(START);
  }

  @Test
  @Timeout(120)
  void shouldParkUntilUnparkedOrTimeIsOver() {
    TimeSource time = TimeSource.system();
    LockSupport.unpark(Thread.currentThread());
    time.park(this, TimeUnit.HOURS.toNanos(1));
    time.park(this, 0);
    time.park(this, -1);

    long start = time.nanoTime();
    while (time.nanoTime() - start < 2_000_000) {
      time.park(this, 2_000_000);
    }
  }

  @Test
  @SuppressWarnings("JavaTimeDefaultTimeZone")
  void shouldAgreeWithTheClockAndWithItself() {
    TimeSource time = TimeSource.system();

    Instant wall = time.wallTime();
    long micros = time.epochMicros();

    assertThat(wall).isCloseTo(Instant.now(), within(5, ChronoUnit.SECONDS));
    assertThat(micros)
        .isGreaterThanOrEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, wall))
        .isLessThan(ChronoUnit.MICROS.between(Instant.EPOCH, wall) + 5_000_000);
    assertThat(time.wallTime()).isAfterOrEqualTo(wall);
    assertThat(TimeSource.system()).isSameAs(time);
  }

  @Test
  void shouldFollowTheWallClockAndMeasureByTheOther() {
    ManualTimeSource clocks = new ManualTimeSource(START);
    TimeSource time = new SystemTimeSource(clocks::nanoTime, clocks::wallTime);
    try (CapturedLog log = new CapturedLog(SystemTimeSource.class.getName(), Level.WARN)) {
      for (int hours : new int[] {12, -36, 24}) {
        long nanos = time.nanoTime();
        clocks.stepWall(Duration.ofHours(hours));
        clocks.advance(Duration.ofMillis(10));

        assertThat(time.epochMicros()).isEqualTo(clocks.epochMicros());
        assertThat(time.wallTime()).isEqualTo(clocks.wallTime());
        assertThat(time.nanoTime() - nanos).isEqualTo(10_000_000);
      }
      assertThat(log.warnings())
          .satisfiesExactly(
              first -> assertThat(first).contains("forward by PT12H"),
              second -> assertThat(second).contains("back by PT36H"),
              third -> assertThat(third).contains("forward by PT24H"));
    }
  }

  @Test
  void shouldFollowAClockThatIsAdjustedWithoutAWord() {
    ManualTimeSource clocks = new ManualTimeSource(START);
    TimeSource time = new SystemTimeSource(clocks::nanoTime, clocks::wallTime);
    try (CapturedLog log = new CapturedLog(SystemTimeSource.class.getName(), Level.WARN)) {
      for (int i = 0; i < 100; i++) {
        clocks.stepWall(Duration.ofMillis(20));
        clocks.advance(Duration.ofSeconds(1));
        assertThat(time.epochMicros()).isEqualTo(clocks.epochMicros());
      }
      assertThat(log.warnings()).isEmpty();
    }
  }
}
