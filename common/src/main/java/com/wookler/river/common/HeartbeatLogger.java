package com.wookler.river.common;

import java.util.List;

/**
 * Writes reports of threads. The class is named by {@code <heartbeat class="…"/>} in the monitor's
 * configuration, has a public constructor without parameters, and is configured with that element
 * if it is {@code Configurable}. One that is {@code AutoCloseable} is closed after its last report.
 */
public interface HeartbeatLogger {
  /**
   * Writes a report. It is called every {@code monitor.frequency.write} on a thread of the task
   * manager, and once more when the environment shuts down; never concurrently. Exceptions are
   * logged. The usual format of a line is {@code info + " " + heartbeat}.
   */
  void log(ApplicationInfo info, List<Heartbeat> heartbeats);
}
