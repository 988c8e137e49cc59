package com.wookler.river.benchmarks.load;

import java.util.List;

/**
 * What a crew's work took, from the common start to the last end.
 *
 * @param nanos time
 * @param cpuNanos processor time of the whole process, background threads and all
 * @param allocatedBytes by the crew's own threads
 * @param counts messages that each member did, in the order in which they joined
 */
record Effort(long nanos, long cpuNanos, long allocatedBytes, List<Long> counts) {
  /** Messages a second. */
  double rate(long messages) {
    return messages * 1e9 / Math.max(1, nanos);
  }

  /** Messages of all members together. */
  long total() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
