package com.wookler.river.common;

import com.wookler.river.common.counters.CounterReport;
import java.util.List;

/**
 * Writes counters somewhere. The class is named by {@code <counter class="…"/>} in the monitor's
 * configuration, has a public constructor without parameters, and is configured with that element
 * if it is {@code Configurable}. One that is {@code AutoCloseable} is closed after its last report.
 */
public interface CounterLogger {
  /**
   * Called every {@code monitor.frequency.write} on a thread of the task manager, and once more
   * when the environment shuts down; never twice at the same time. What it throws is logged, and
   * the same changes are reported again later. A line in the usual shape is {@code info + " " +
   * counter}.
   */
  void log(ApplicationInfo info, List<CounterReport> counters);
}
