package com.wookler.river.examples.utils;

import com.wookler.river.common.ApplicationInfo;
import com.wookler.river.common.CounterLogger;
import com.wookler.river.common.counters.CounterReport;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the application's counters to the log, one per line. */
public final class LogCounterLogger implements CounterLogger {
  private static final Logger LOG = LoggerFactory.getLogger(LogCounterLogger.class);

  @Override
  public void log(ApplicationInfo info, List<CounterReport> counters) {
    for (CounterReport counter : counters) {
      LOG.info("{} {}", info, counter);
    }
  }
}
