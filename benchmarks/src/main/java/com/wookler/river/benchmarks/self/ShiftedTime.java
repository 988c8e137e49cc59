package com.wookler.river.benchmarks.self;

import com.wookler.river.common.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** The system's clocks, which can be put forward, so that all timeouts pass at one moment. */
final class ShiftedTime implements TimeSource {
  private final TimeSource system = TimeSource.system();
  private final AtomicLong shift = new AtomicLong(); // nanoseconds

  void advance(Duration step) {
    shift.addAndGet(step.toNanos());
  }

  @Override
  public long nanoTime() {
    return system.nanoTime() + shift.get();
  }

  @Override
  public Instant wallTime() {
    return system.wallTime().plusNanos(shift.get());
  }

  @Override
  public long epochMicros() {
    return system.epochMicros() + shift.get() / 1_000;
  }
}
