package com.wookler.river.benchmarks.load;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How rounds are done.
 *
 * @param rounds of each system that count
 * @param scale by which the lines' counts are multiplied
 * @param cap after which a round is cut off
 * @param warmUp how long each system works before rounds count
 * @param directory in which the data goes
 * @param recordings in which flight recordings of the rounds that count go; null for none
 */
record Plan(
    int rounds,
    double scale,
    Duration cap,
    Duration warmUp,
    Path directory,
    @Nullable Path recordings) {
  private static final double WARM_UP_SHARE = 0.25;
  private static final double LEAST = 256; // so that batches and all threads have something to do

  /** Nothing is recorded. */
  Plan(int rounds, double scale, Duration cap, Duration warmUp, Path directory) {
    this(rounds, scale, cap, warmUp, directory, null);
  }

  /** The same with flight recordings in this directory. */
  Plan recordedIn(Path recordings) {
    return new Plan(rounds, scale, cap, warmUp, directory, recordings);
  }

  /** A round that counts. */
  Request request(Line line, String system) {
    return request(line, system, scale, false, recordings);
  }

  /** A smaller one that does not; {@code verify} as in {@link Request}. */
  Request warmUp(Line line, String system, boolean verify) {
    return request(line, system, scale * WARM_UP_SHARE, verify, null);
  }

  private Request request(
      Line line, String system, double share, boolean verify, @Nullable Path into) {
    long count = Math.round(Math.max(LEAST, line.count() * share));
    return new Request(
        line.name(),
        system,
        directory.toString(),
        count,
        cap.toMillis(),
        verify,
        into == null ? null : into.toString());
  }
}
