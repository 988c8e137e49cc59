package com.wookler.river.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What this JVM uses, and waiting without using any of it. */
public final class ThisJvm {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final Duration LOOK = Duration.ofMillis(1);
  private static final int COLLECTIONS = 3;

  private ThisJvm() {}

  /** Returns the processor time of all threads so far. */
  public static long cpuNanos() {
    return PROCESS.getProcessCpuTime();
  }

  /** Returns the number of Java's threads. */
  public static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** Returns the number of open files; 0 where the system does not say. */
  public static long descriptors() {
    return PROCESS instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }

  /** Returns the bytes of heap in use after collections that also clear references. */
  public static long heapBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Waits for a time. */
  public static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /**
   * Returns when a condition holds.
   *
   * @throws IllegalStateException it did not in time
   */
  public static void await(BooleanSupplier condition, Duration patience, String what) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("waited " + patience + " for: " + what);
      }
      pause(LOOK);
    }
  }

  /**
   * Requires that something was done right.
   *
   * @throws IllegalStateException it was not
   */
  public static void check(boolean right, Object what) {
    if (!right) {
      throw new IllegalStateException(what.toString());
    }
  }
}
