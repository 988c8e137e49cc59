package com.wookler.river.core.log;

import com.wookler.river.common.Micros;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.files.ClockSteps;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The times that a queue stores: publish times, and those by which it removes backups and forgets
 * ids. They follow the wall clock and never decrease, also where it was ahead and is set back;
 * {@link #wallOf} gives what it showed, or should have shown, so that nothing waits for it to catch
 * up. {@link ClockSteps} has the rule. Thread-safe.
 */
public final class StoredTimes {
  private static final Logger LOG = LoggerFactory.getLogger(StoredTimes.class);
  private static final long TOLERANCE_MICROS = TimeUnit.SECONDS.toMicros(1); // clocks are adjusted

  private final @Nullable LogSettings settings; // null: nothing is written
  private final TimeSource time;
  private final AtomicLong greatest; // of all but the log's newest messages
  private volatile ClockSteps steps; // written under this object's lock

  private StoredTimes(
      @Nullable LogSettings settings, TimeSource time, long greatest, ClockSteps steps) {
    this.settings = settings;
    this.time = time;
    this.greatest = new AtomicLong(greatest);
    this.steps = steps;
  }

  /** Returns times without a log that knows steps of its clock: each means what it says. */
  public static StoredTimes of(TimeSource time) {
    return new StoredTimes(null, time, Long.MIN_VALUE, ClockSteps.NONE);
  }

  /** Returns those of a log, whose last message has this publish time. */
  static StoredTimes open(LogSettings settings, long last) {
    try {
      StoredTimes times =
          new StoredTimes(settings, settings.time(), last, ClockSteps.read(settings.log()));
      times.saw(last);
      return times;
    } catch (IOException e) {
      throw new RiverException(
          "queue " + settings.queue() + ": cannot read its log in " + settings.directory(), e);
    }
  }

  /** Returns the publish time of a message appended now, unless the one before has a later. */
  long storedAt(long wallMicros) {
    return steps.storedAt(wallMicros);
  }

  /** Returns the present, as it is to be stored. */
  public long now() {
    long now = steps.storedAt(time.epochMicros());
    return greatest.accumulateAndGet(now, Math::max);
  }

  /** Returns what the wall clock showed when this time was stored; microseconds since 1970. */
  public long wallOf(long storedMicros) {
    return steps.wallOf(storedMicros);
  }

  /** Returns a time such that all that was stored with an earlier one is older than this. */
  public long since(long wallMicros) {
    return steps.since(wallMicros);
  }

  /** Returns the age in microseconds of what was stored then; negative for a moment at most. */
  public long ageOf(long storedMicros) {
    return time.epochMicros() - wallOf(storedMicros);
  }

  /** Changes when {@link #wallOf} does: an object to be compared by identity. */
  public Object version() {
    return steps;
  }

  /** Returns whether the wall clock is behind what was stored, though it was not known to be. */
  boolean isBehind(long lastMicros) {
    return wallOf(Math.max(lastMicros, greatest.get())) - time.epochMicros() > TOLERANCE_MICROS;
  }

  /** Notes a time that was stored, perhaps when the clock was ahead. */
  public void saw(long storedMicros) {
    greatest.accumulateAndGet(storedMicros, Math::max);
    if (isBehind(storedMicros)) {
      follow(storedMicros, true);
    }
  }

  /** If the clock was set back, takes all that was stored as no later than now; may warn of it. */
  synchronized void follow(long lastMicros, boolean warns) {
    if (!isBehind(lastMicros)) {
      return;
    }
    long last = greatest.accumulateAndGet(lastMicros, Math::max);
    long now = time.epochMicros();
    ClockSteps next = steps.with(last, now);
    report(wallOf(last), now, warns);
    if (settings != null) {
      try {
        next.write(settings.directory(), settings.identity());
      } catch (IOException e) { // a full disk; the next opening finds the clock set back once more
        LOG.warn("Queue {}: cannot write that to {}", settings.queue(), settings.directory(), e);
      }
    }
    steps = next;
  }

  private void report(long last, long now, boolean warns) {
    LOG.atLevel(warns ? Level.WARN : Level.INFO)
        .log(
            "Queue {}: the clock was ahead, and is set back by {}: the queue stored something at"
                + " {}, and it is {}. What was stored later than that counts as stored now; publish"
                + " times stand still until the clock has caught up",
            settings == null ? "" : settings.queue(),
            Duration.ofSeconds(TimeUnit.MICROSECONDS.toSeconds(last - now)),
            Micros.toInstant(last),
            Micros.toInstant(now));
  }
}
