package com.wookler.river.examples;

import java.time.Duration;

/**
 * Statistics of one producer or consumer, in the format of the sample's log lines.
 *
 * @param name the thread's short name
 * @param messages number of messages
 * @param busy the time spent on them
 * @param elapsed the time from start to end
 */
record WorkerStats(String name, long messages, Duration busy, Duration elapsed) {

  String published() {
    return "[%s] Published [%d] messages : %s, [ELAPSED:%d]"
        .formatted(name, messages, times(), elapsed.toMillis());
  }

  String processed() {
    return "[%s] Processed [%d] records : %s".formatted(name, messages, times());
  }

  private String times() {
    double average = messages == 0 ? 0 : busy.toNanos() / 1e6 / messages;
    return "[AVG:%f][TOT:%d]".formatted(average, busy.toMillis());
  }

  /**
   * Returns the three lines of a total; the rate is measured from the first message to the last.
   */
  static String total(String done, long messages, Duration elapsed) {
    long perSecond = elapsed.isZero() ? 0 : Math.round(messages * 1e9 / elapsed.toNanos());
    return """
        Total Messages %-13s: %d
        Elapsed time                : %d milliseconds
        Number of messages/second   : %d"""
        .formatted(done, messages, elapsed.toMillis(), perSecond);
  }
}
