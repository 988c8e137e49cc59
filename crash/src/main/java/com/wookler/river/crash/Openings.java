package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * How long openings took in processes that had just started. The bound is one of the processor's
 * time, with what the start of the JVM takes: a machine that does other work makes everything late.
 */
final class Openings {
  private static final Duration MOST = Duration.ofSeconds(5);

  private int count;
  private long wallNanos;
  private long cpuNanos;

  /**
   * Called in the process, when the queue is open.
   *
   * @param started before it was opened, on the machine's monotonic clock
   */
  static void note(Path file, long started) throws IOException {
    long wall = TimeSource.system().nanoTime() - started;
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    Files.writeString(file, wall + " " + cpu.toNanos());
  }

  /** Adds what a process has noted, if it came so far, and forgets it. */
  void add(Path file) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    List<Long> noted = Files.readString(file).lines().flatMap(Openings::numbers).toList();
    Files.delete(file);
    if (noted.size() == 2) { // else it was killed over it
      add(1, noted.get(0), noted.get(1));
    }
  }

  private static Stream<Long> numbers(String line) {
    return Arrays.stream(line.split(" ", -1)).map(Long::valueOf);
  }

  /** Adds others. */
  void add(Openings others) {
    add(others.count, others.wallNanos, others.cpuNanos);
  }

  private void add(int number, long wall, long cpu) {
    count += number;
    wallNanos = Math.max(wallNanos, wall);
    cpuNanos = Math.max(cpuNanos, cpu);
    BrokenPromise.unless(
        cpuNanos <= MOST.toNanos(), "an opening took %d ns of the processor's time", cpuNanos);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d openings, the longest %,d ms, %,d ms of the processor's time with the start of the JVM",
        count,
        wallNanos / 1_000_000,
        cpuNanos / 1_000_000);
  }
}
