package com.wookler.river.test;

import com.wookler.river.common.SteppedTimeSource;
import com.wookler.river.common.TaskManager;
import com.wookler.river.common.WorkerPool;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that the test moves. It begins at 2030-01-01T00:00Z and stands still otherwise. Give it
 * to your own code as the {@link InstantSource} that it is.
 *
 * <p>Nothing looks after a queue of this clock in the background: its housekeeping runs on the
 * thread that moves the clock, at each time at which something is due, in order. A call that waits
 * on the test's thread, such as {@code subscriber.next(Duration.ofHours(5))}, does not wait: the
 * clock moves on to what is due next. Other threads that wait on it look at it every millisecond.
 *
 * <p>Moved by the thread that made it; may be read by any.
 */
public final class TestClock implements SteppedTimeSource, InstantSource, AutoCloseable {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final long PARK_NANOS = 1_000_000;
  private static final int MOST_ROUNDS = 100;
  private static final long MICRO = 1_000;

  private final String suffix = "-test" + NUMBERS.incrementAndGet();
  private final Thread owner = Thread.currentThread();
  private final AtomicLong elapsed = new AtomicLong();
  private final AtomicLong wallMicros = new AtomicLong(); // by which the wall clock was set
  private final TaskManager tasks = TaskManager.stepped("TEST" + suffix, this);
  private final List<WorkerPool> pools =
      List.of(WorkerPool.acquire("worker", 1, this), WorkerPool.acquire("flusher", 1, this));
  private boolean stepping; // confined to the owner

  TestClock() {}

  /**
   * Moves the clock on. What falls due on the way is done at its time, in order: delayed messages
   * enter the log, deliveries time out, messages expire and become dead letters. No handler is
   * called; see {@link TestHandler#runUntilIdle}.
   *
   * @throws IllegalArgumentException the duration is negative
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("the clock cannot be moved back by " + time);
    }
    long target = Math.addExact(elapsed.get(), time.toNanos());
    settle();
    while (elapsed.get() < target) {
      moveTo(Math.min(target, nextDue()));
    }
  }

  /** Moves the clock on until it shows a time. */
  public void advanceTo(Instant time) {
    advance(Duration.between(instant(), time));
  }

  /**
   * Sets the wall clock forward or back, as people and the network do. What is measured as a
   * duration, such as an acknowledgement timeout, does not notice.
   */
  public void setWallClock(Duration by) {
    wallMicros.addAndGet(by.toNanos() / MICRO);
  }

  /** Does what is due now, and waits until nothing runs in the background. */
  void settle() {
    if (stepping) {
      return;
    }
    stepping = true;
    try {
      int rounds = 0;
      do {
        tasks.stepAll();
      } while (awaitIdle() && ++rounds < MOST_ROUNDS);
    } finally {
      stepping = false;
    }
  }

  /** Waits for tasks in the background; returns whether there were any. */
  boolean awaitIdle() {
    boolean any = false;
    boolean busy;
    do {
      busy = false;
      for (WorkerPool pool : pools) {
        busy |= pool.awaitIdle();
      }
      any |= busy;
    } while (busy);
    return any;
  }

  private void moveTo(long nanos) {
    elapsed.set(nanos);
    settle();
  }

  /** Returns the time of what is due next, by {@link #nanoTime}; later than now. */
  private long nextDue() {
    long left = Math.max(1, tasks.nanosUntilDue());
    long sum = elapsed.get() + left;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  @Override
  public TaskManager tasks() {
    return tasks;
  }

  @Override
  public String poolName(String shared) {
    return shared + suffix;
  }

  /** Returns what the names of all threads end with, but for a number, that belong to it. */
  String suffix() {
    return suffix;
  }

  @Override
  public long nanoTime() {
    return elapsed.get();
  }

  @Override
  public Instant wallTime() {
    return START.plusNanos(elapsed.get()).plus(wallMicros.get(), ChronoUnit.MICROS);
  }

  @Override
  public Instant instant() {
    return wallTime();
  }

  @Override
  public long epochMicros() {
    return START.getEpochSecond() * 1_000_000 + elapsed.get() / MICRO + wallMicros.get();
  }

  /** Returns how long ago the clock began. */
  Duration elapsed() {
    return Duration.ofNanos(elapsed.get());
  }

  /** Moves the clock on to what is due next, on the test's thread; waits really on others. */
  @Override
  public void park(Object blocker, long nanos) {
    if (nanos <= 0) {
      return;
    }
    if (Thread.currentThread() != owner || stepping) {
      LockSupport.parkNanos(blocker, Math.min(nanos, PARK_NANOS));
      return;
    }
    long now = elapsed.get();
    settle();
    long end = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    moveTo(Math.min(end, nextDue()));
  }

  @Override
  public void close() {
    tasks.close();
    pools.forEach(WorkerPool::release);
  }
}
