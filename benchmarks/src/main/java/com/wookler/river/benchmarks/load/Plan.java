package com.wookler.river.benchmarks.load;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How rounds are done.
 *
 * @param rounds of each system that count
 * @param scale by which the lines' counts are multiplied
 * @param cap after which a round is cut off
 * @param warmUp how long each system works before rounds count
 * @param directory in which the data goes
 */
record Plan(int rounds, double scale, Duration cap, Duration warmUp, Path directory) {
  private static final double WARM_UP_SHARE = 0.25;
  private static final double LEAST = 256; // so that batches and all threads have something to do

  /** A round that counts. */
  Request request(Line line, String system) {
    return request(line, system, scale, false);
  }

  /** A smaller one that does not; {@code verify} as in {@link Request}. */
  Request warmUp(Line line, String system, boolean verify) {
    return request(line, system, scale * WARM_UP_SHARE, verify);
  }

  private Request request(Line line, String system, double share, boolean verify) {
    long count = Math.round(Math.max(LEAST, line.count() * share));
    return new Request(line.name(), system, directory.toString(), count, cap.toMillis(), verify);
  }
}
