package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when a queue becomes full, and once a burst that it discards messages. Confined to the
 * steps of housekeeping.
 */
final class FullWatch {
  private static final Logger LOG = LoggerFactory.getLogger(FullWatch.class);

  private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos(); // ends a burst

  private final String queue;
  private final AdmissionControl intake;
  private final LongSupplier discarded;
  private final Consumer<String> listeners;
  private final TimeSource time;
  private boolean full;
  private boolean bursting;
  private long before; // discarded before the burst
  private long counted;
  private long grownAt;

  FullWatch(
      QueueConfig<?> config,
      AdmissionControl intake,
      LongSupplier discarded,
      Consumer<String> listeners) {
    this.queue = config.name();
    this.intake = intake;
    this.discarded = discarded;
    this.listeners = listeners;
    this.time = config.time();
  }

  void look() {
    Optional<String> why = intake.look();
    if (why.isPresent() && !full) {
      LOG.warn("{}", why.get());
      listeners.accept(why.get());
    } else if (why.isEmpty() && full) {
      LOG.info("queue {} has capacity again", queue);
    }
    full = why.isPresent();
    lookAtDiscarded(discarded.getAsLong(), time.nanoTime());
  }

  private void lookAtDiscarded(long now, long nanos) {
    if (now != counted) {
      grownAt = nanos;
      if (!bursting) {
        bursting = true;
        before = counted;
        LOG.warn(
            "queue {} discards messages before all subscribers have completed them, {} so far in"
                + " this run, because of its limits or its retention",
            queue,
            now);
      }
      counted = now;
    } else if (bursting && nanos - grownAt >= QUIET_NANOS) {
      bursting = false;
      LOG.warn(
          "queue {} has discarded {} and continues", queue, Amount.of(now - before, "message"));
    }
  }
}
