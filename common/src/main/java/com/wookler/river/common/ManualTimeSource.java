package com.wookler.river.common;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock for tests that is moved explicitly. Threads that wait on it notice moved time within
 * about a millisecond. Thread-safe. A test may extend it, to do something when it is read.
 */
public class ManualTimeSource implements TimeSource {
  private static final long PARK_NANOS = 1_000_000;

  private final Instant start;
  private final long startMicros;
  private final AtomicLong elapsed = new AtomicLong();
  private final AtomicLong wallMicros = new AtomicLong(); // offset of the wall clock

  /** Creates a clock that shows {@code start} until it is moved. */
  public ManualTimeSource(Instant start) {
    this.start = start;
    this.startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start);
  }

  /**
   * Moves the clock forward.
   *
   * @throws IllegalArgumentException if {@code step} is negative, or leads more than 292 years from
   *     the start
   */
  public void advance(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("The clock cannot be moved back by " + step);
    }
    try {
      elapsed.updateAndGet(passed -> Math.addExact(passed, step.toNanos()));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("The clock cannot be moved forward by " + step, e);
    }
  }

  /** Moves the wall clock forward or back; {@link #nanoTime} does not change. */
  public void stepWall(Duration step) {
    wallMicros.addAndGet(TimeUnit.MICROSECONDS.convert(step));
  }

  /**
   * Moves the clock forward until it shows {@code time}.
   *
   * @throws IllegalArgumentException if {@code time} has passed
   */
  public void setTo(Instant time) {
    advance(Duration.between(wallTime(), time));
  }

  @Override
  public long nanoTime() {
    return elapsed.get();
  }

  @Override
  public Instant wallTime() {
    return start.plusNanos(elapsed.get()).plus(wallMicros.get(), ChronoUnit.MICROS);
  }

  @Override
  public long epochMicros() {
    return startMicros + elapsed.get() / 1_000 + wallMicros.get();
  }

  @Override
  public void park(Object blocker, long nanos) {
    if (nanos > 0) {
      LockSupport.parkNanos(blocker, Math.min(nanos, PARK_NANOS));
    }
  }
}
