package com.wookler.river.benchmarks.system;

import com.wookler.river.benchmarks.system.OpenQueue.Receiver;
import com.wookler.river.benchmarks.system.OpenQueue.Sink;
import java.time.Duration;

/** Reads a log that notifies no one: while it waits it looks again at once. */
abstract class SpinningReceiver implements Receiver {
  /** Delivers what is there, up to {@code max}, which is at least 1; returns 0 if nothing is. */
  abstract int read(int max, Sink sink);

  /** Called between two looks while nothing has come. */
  void pause() {
    Thread.onSpinWait();
  }

  @Override
  public final int receive(int max, Duration timeout, Sink sink) {
    long deadline = 0;
    int count = 0;
    while (count < max) {
      int read = read(max - count, sink);
      count += read;
      if (read > 0) {
        continue;
      }
      if (count > 0 || timeout.isZero()) {
        break;
      }
      long now = System.nanoTime();
      deadline = deadline == 0 ? now + timeout.toNanos() : deadline;
      if (now - deadline >= 0) {
        break;
      }
      pause();
    }
    return count;
  }
}
