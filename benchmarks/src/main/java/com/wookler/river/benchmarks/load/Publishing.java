package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.Sender;
import com.wookler.river.benchmarks.system.Work;
import com.wookler.river.common.TimeSource;

/** One publisher's part of a round, as fast as it goes. */
final class Publishing {
  private static final TimeSource TIME = TimeSource.system();
  private static final int CLOCK_MASK = 63; // the clock is read once in so many calls

  private Publishing() {}

  /** The messages of a publisher, as many arrays as this work has in use at once. */
  static Payloads payloads(int publisher, Work work) {
    int arrays = work.batch() > 1 ? work.batch() : work.underWay() + 1;
    return new Payloads(publisher, work.size(), arrays);
  }

  /**
   * Publishes until the count is reached, in whole batches, or the time is up.
   *
   * @param deadline in nanoseconds of the system's clock
   * @return how many were published
   */
  static long run(Sender sender, Payloads payloads, int batch, long count, long deadline)
      throws Exception {
    long sent = 0;
    for (long calls = 0; sent < count; calls++) {
      if ((calls & CLOCK_MASK) == 0 && TIME.nanoTime() - deadline >= 0) {
        break;
      }
      if (batch > 1) {
        sender.send(payloads.all());
      } else {
        sender.send(payloads.one());
      }
      sent += batch;
    }
    sender.finish();
    return sent;
  }
}
