package com.wookler.river.common;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the system's clocks.
 *
 * <p>The wall time is the monotonic clock plus an offset, so that it costs no more than that clock.
 * The next caller compares the offset with the wall clock every few milliseconds.
 */
final class SystemTimeSource implements TimeSource {
  static final SystemTimeSource INSTANCE = new SystemTimeSource(System::nanoTime, Instant::now);

  private static final Logger LOG = LoggerFactory.getLogger(SystemTimeSource.class);
  private static final long COMPARE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long EXACT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long EXACT_MICROS = TimeUnit.MILLISECONDS.toMicros(1);
  private static final long STEP_MICROS = TimeUnit.SECONDS.toMicros(1);

  private final LongSupplier monotonic;
  private final Supplier<Instant> wall;
  private final AtomicLong comparedAt; // nanoseconds; the thread that changes it compares
  private volatile long offsetMicros; // written by the thread that has changed comparedAt

  SystemTimeSource(LongSupplier monotonic, Supplier<Instant> wall) {
    this.monotonic = monotonic;
    this.wall = wall;
    long nanos = monotonic.getAsLong();
    this.comparedAt = new AtomicLong(nanos);
    this.offsetMicros = micros(wall.get()) - nanos / 1_000;
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  @Override
  public long nanoTime() {
    return monotonic.getAsLong();
  }

  @Override
  public Instant wallTime() {
    return Instant.EPOCH.plus(epochMicros(), ChronoUnit.MICROS);
  }

  @Override
  public long epochMicros() {
    long nanos = monotonic.getAsLong();
    long compared = comparedAt.get();
    if (nanos - compared >= COMPARE_NANOS && comparedAt.compareAndSet(compared, nanos)) {
      compare();
      nanos = monotonic.getAsLong();
    }
    return nanos / 1_000 + offsetMicros;
  }

  private void compare() {
    long before = monotonic.getAsLong();
    Instant now = wall.get();
    if (monotonic.getAsLong() - before > EXACT_NANOS) {
      return; // the thread was suspended between the two clocks; compare again later
    }
    long offset = micros(now) - before / 1_000;
    long step = offset - offsetMicros;
    if (Math.abs(step) < EXACT_MICROS) {
      return;
    }
    offsetMicros = offset;
    if (Math.abs(step) >= STEP_MICROS) {
      LOG.warn(
          "The wall clock was set {} by {}, to {}. Publish times, expiry and retention follow it;"
              + " timeouts and delays of this run do not",
          step > 0 ? "forward" : "back",
          Duration.ofSeconds(Math.round(Math.abs(step) / 1e6)),
          now);
    }
  }
}
