package com.wookler.river.benchmarks.reactor;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.common.TimeSource;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** What this process has used, and waiting without using any. */
final class Effort {
  private static final TimeSource TIME = TimeSource.system();
  private static final String REACTOR = "REACTOR-";
  private static final Duration LOOK = Duration.ofMillis(20);

  private Effort() {}

  /** CPU time of all threads so far. */
  static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** How many threads of Java there are. */
  static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** Waits until no reactor holds a thread. */
  static void awaitRest() {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith(REACTOR))) {
      rest(LOOK);
    }
  }

  static void rest(Duration duration) {
    long end = TIME.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - TIME.nanoTime()) {
      TIME.park(Effort.class, left);
    }
  }
}
