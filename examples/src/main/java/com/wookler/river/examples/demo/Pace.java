package com.wookler.river.examples.demo;

import com.wookler.river.common.TimeSource;

/** Holds one thread to a rate; what it was held up is not made good by going faster later. */
final class Pace {
  /** Shorter waits cost more than they order. */
  private static final long WORTH_WAITING = 1_000_000;

  /** How far it may be behind and still catch up. */
  private static final long CREDIT = 100_000_000;

  private final TimeSource time;
  private final double nanosPerStep;
  private long start; // confined, like steps, to the thread whose pace this is
  private long steps;

  /**
   * A pace.
   *
   * @param perSecond steps a second; 0 for as fast as it goes
   */
  Pace(TimeSource time, double perSecond) {
    this.time = time;
    this.nanosPerStep = perSecond <= 0 ? 0 : 1e9 / perSecond;
  }

  /** Takes steps, and waits until they are due. */
  void step(int count) throws InterruptedException {
    if (steps == 0) {
      start = time.nanoTime();
    }
    steps += count;
    long ahead = remaining();
    if (ahead < -CREDIT) {
      start += -CREDIT - ahead;
    }
    while (ahead > WORTH_WAITING) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      time.park(this, ahead);
      ahead = remaining();
    }
  }

  private long remaining() {
    return (long) (steps * nanosPerStep) - (time.nanoTime() - start);
  }
}
