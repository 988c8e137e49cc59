package com.wookler.river.benchmarks.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * What else the machine does.
 *
 * @param idle share of the processors' time that no one used; NaN where the system does not say
 * @param average load of the last minute; negative where the system does not say
 */
record MachineLoad(double idle, double average) {
  private static final Path TIMES = Path.of("/proc/stat"); // of Linux
  private static final int IDLE = 3; // column of its first line: user, nice, system, idle, ...
  private static final int WAITING = 4; // for the device, which is idle, too
  private static final double LEAST_IDLE = 0.9;
  private static final double HIGHEST_AVERAGE = 0.5; // a core

  /** Watches the machine for a time, in which the calling thread does nothing. */
  static MachineLoad measure(Duration time) throws IOException {
    long[] before = times();
    ThisJvm.pause(time);
    long[] after = times();
    long all = 0;
    long idle = 0;
    for (int i = 0; i < Math.min(before.length, after.length); i++) {
      long spent = after[i] - before[i];
      all += spent;
      idle += i == IDLE || i == WAITING ? spent : 0;
    }
    double average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return new MachineLoad((double) idle / all, average);
  }

  private static long[] times() throws IOException {
    if (!Files.isReadable(TIMES)) {
      return new long[0];
    }
    try (Stream<String> lines = Files.lines(TIMES)) {
      String first = lines.findFirst().orElse("cpu");
      return Stream.of(first.split(" +", -1)).skip(1).mapToLong(Long::parseLong).toArray();
    }
  }

  /** Returns whether figures that are measured now are the machine's. */
  boolean quiet() {
    int cores = Runtime.getRuntime().availableProcessors();
    return idle >= LEAST_IDLE && average <= HIGHEST_AVERAGE * cores;
  }

  @Override
  public String toString() {
    return Context.text("%.0f %% idle and load average %.2f before", 100 * idle, average);
  }
}
