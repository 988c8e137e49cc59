package com.wookler.river.benchmarks.load;

import java.time.Duration;

/**
 * What a worker is asked for: one round.
 *
 * @param line by its name
 * @param system by its name
 * @param directory in which the round makes one of its own
 * @param count messages
 * @param capMillis after which publishers and consumers stop, whatever the count
 * @param verify whether to read back, untimed, what was published, where nobody consumes
 */
record Request(
    String line, String system, String directory, long count, long capMillis, boolean verify) {
  /** The cap in nanoseconds. */
  long capNanos() {
    return Duration.ofMillis(capMillis).toNanos();
  }
}
