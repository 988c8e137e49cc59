package com.wookler.river.examples.utils;

import com.wookler.river.common.ApplicationInfo;
import com.wookler.river.common.Heartbeat;
import com.wookler.river.common.HeartbeatLogger;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the states of the application's threads to the log, one per line. */
public final class LogHeartbeatLogger implements HeartbeatLogger {
  private static final Logger LOG = LoggerFactory.getLogger(LogHeartbeatLogger.class);

  @Override
  public void log(ApplicationInfo info, List<Heartbeat> heartbeats) {
    for (Heartbeat heartbeat : heartbeats) {
      LOG.info("{} {}", info, heartbeat);
    }
  }
}
