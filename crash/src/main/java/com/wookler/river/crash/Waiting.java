package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for what a process does. */
final class Waiting {
  /** Within this a queue works again after any fault. */
  static final Duration RESUMED = Duration.ofSeconds(30);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private Waiting() {}

  /** Something that may be so by now. */
  interface Condition {
    /** Whether it is so. */
    boolean holds() throws IOException;
  }

  /** Asks each millisecond until it holds, and returns whether it did in time. */
  static boolean until(Duration timeout, Condition condition) throws IOException {
    TimeSource time = TimeSource.system();
    long deadline = time.nanoTime() + timeout.toNanos();
    while (!condition.holds()) {
      if (time.nanoTime() - deadline > 0) {
        return false;
      }
      time.park(condition, POLL_NANOS);
    }
    return true;
  }

  /** Returns when the process has made the file, or has ended. */
  static void file(Path file, ChildProcess child) throws IOException {
    BrokenPromise.unless(
        until(RESUMED, () -> Files.exists(file) || !child.isAlive()),
        "nothing continues %s after the start",
        RESUMED);
  }

  /** Returns after a time during which the process must not end by itself. */
  static void alive(Duration time, ChildProcess child) throws IOException, InterruptedException {
    if (child.awaitEnd(time)) {
      throw new BrokenPromise(
          "the process ended by itself with " + child.exitValue() + ":\n" + child.output());
    }
  }
}
