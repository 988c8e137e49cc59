package com.wookler.river.common;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The one place that asks the system for the time. */
final class SystemTimeSource implements TimeSource {
  static final SystemTimeSource INSTANCE = new SystemTimeSource();

  private final Instant startWall = Instant.now();
  private final long startNanos = System.nanoTime();
  private final long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, startWall);

  private SystemTimeSource() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant wallTime() {
    return startWall.plusNanos(System.nanoTime() - startNanos);
  }

  @Override
  public long epochMicros() {
    return startMicros + (System.nanoTime() - startNanos) / 1_000;
  }
}
