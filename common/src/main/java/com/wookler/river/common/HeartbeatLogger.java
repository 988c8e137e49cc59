package com.wookler.river.common;

import java.util.List;

/**
 * Writes the state of threads somewhere. The class is named by {@code <heartbeat class="…"/>} in
 * the monitor's configuration, has a public constructor without parameters, and is configured with
 * that element if it is {@code Configurable}. One that is {@code AutoCloseable} is closed after its
 * last report.
 */
public interface HeartbeatLogger {
  /**
   * Called every {@code monitor.frequency.write} on a thread of the task manager, and once more
   * when the environment shuts down; never twice at the same time. What it throws is logged. A line
   * in the usual shape is {@code info + " " + heartbeat}.
   */
  void log(ApplicationInfo info, List<Heartbeat> heartbeats);
}
