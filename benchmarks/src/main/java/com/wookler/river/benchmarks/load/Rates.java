package com.wookler.river.benchmarks.load;

import java.util.Map;

/** Outcomes of tasks that go as fast as they can. */
final class Rates {
  static final String UNIT = "msg/s";

  private Rates() {}

  /** Messages a second, with what each cost. */
  static Outcome of(Effort effort, long messages) {
    return of(effort, messages, Map.of());
  }

  /** Likewise, with further figures. */
  static Outcome of(Effort effort, long messages, Map<String, Double> further) {
    Map<String, Double> extra = Figures.of(effort, messages);
    extra.putAll(further);
    return new Outcome(messages, effort.nanos(), effort.rate(messages), extra);
  }
}
