package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends what has passed its time limit: one look at all of it every now and then, because a timer
 * for each request would cost each request. Thread-safe.
 */
final class TimeLimits {
  private static final int LOOKS_A_LIMIT = 16;
  private static final long SHORTEST_NANOS = Duration.ofMillis(5).toNanos();
  private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

  private final Transport transport;
  private final Duration between;
  private final Set<Limited> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();

  /** What may take so long and no longer. */
  interface Limited {
    /** Returns whether it has taken too long. */
    boolean isLate(long now);

    /**
     * Ends it if it is late, or the client is closed: by now it may have done with what was late.
     * Called by any thread, which it may block.
     */
    void end();
  }

  /**
   * @param shortest of the limits, which are kept to a sixteenth of it
   */
  TimeLimits(Transport transport, Duration shortest) {
    this.transport = transport;
    this.between =
        Duration.ofNanos(
            Math.max(SHORTEST_NANOS, Math.min(LONGEST_NANOS, shortest.toNanos() / LOOKS_A_LIMIT)));
  }

  void add(Limited limited) {
    open.add(limited);
    begin();
  }

  void remove(Limited limited) {
    open.remove(limited);
  }

  /** Ends all, because the client is closed. */
  void endAll() {
    open.forEach(Limited::end);
  }

  private void begin() {
    if (!looking.get() && looking.compareAndSet(false, true)) {
      next();
    }
  }

  private void next() {
    var unused = transport.after(between).thenRun(this::look);
  }

  private void look() {
    long now = Ticker.nanos();
    for (Limited late : open.stream().filter(each -> each.isLate(now)).toList()) {
      open.remove(late);
      transport.threads().execute(late::end);
    }
    if (open.isEmpty()) {
      looking.set(false);
      if (!open.isEmpty()) {
        begin();
      }
    } else {
      next();
    }
  }
}
