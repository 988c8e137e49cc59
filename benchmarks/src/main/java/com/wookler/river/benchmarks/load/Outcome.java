package com.wookler.river.benchmarks.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a round yields.
 *
 * @param messages that were done; less than asked for if the time was up
 * @param nanos that it took
 * @param figure the row's figure, in the task's unit
 * @param extra further figures, by their names in {@link Figures}
 */
record Outcome(long messages, long nanos, double figure, Map<String, Double> extra) {
  Outcome {
    extra = Collections.unmodifiableMap(new LinkedHashMap<>(extra));
  }
}
