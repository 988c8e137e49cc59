package com.wookler.river.common;

import com.wookler.river.common.counters.CounterReport;
import java.util.List;

/**
 * Writes reports of counters. The class is named by {@code <counter class="…"/>} in the monitor's
 * configuration, has a public constructor without parameters, and is configured with that element
 * if it is {@code Configurable}. One that is {@code AutoCloseable} is closed after its last report.
 */
public interface CounterLogger {
  /**
   * Writes a report. It is called every {@code monitor.frequency.write} on a thread of the task
   * manager, and once more when the environment shuts down; never concurrently. If it throws, the
   * exception is logged and the next report includes the same changes again. The usual format of a
   * line is {@code info + " " + counter}.
   */
  void log(ApplicationInfo info, List<CounterReport> counters);
}
