package com.wookler.river.benchmarks.load;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is asked for: one round.
 *
 * @param line by its name
 * @param system by its name
 * @param directory in which the round makes one of its own
 * @param count messages
 * @param capMillis after which publishers and consumers stop, whatever the count
 * @param verify whether to read back, untimed, what was published, where nobody consumes
 * @param recordings directory in which the round puts its flight recording; null for no recording
 */
record Request(
    String line,
    String system,
    String directory,
    long count,
    long capMillis,
    boolean verify,
    @Nullable String recordings) {
  /** The cap in nanoseconds. */
  long capNanos() {
    return Duration.ofMillis(capMillis).toNanos();
  }
}
