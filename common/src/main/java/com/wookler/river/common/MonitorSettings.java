package com.wookler.river.common;

import com.wookler.river.common.config.ConfigNode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of a {@link Monitor}.
 *
 * @param appName {@code app.name}
 * @param window {@code monitor.window.recycle}
 * @param frequency {@code monitor.frequency.write}
 * @param debugCounters {@code monitor.debug.counters}
 * @param counters the class of {@code <counter>}; without it, counters are not written
 * @param heartbeats the class of {@code <heartbeat>}; without it, heartbeats are not written
 */
record MonitorSettings(
    String appName,
    Duration window,
    Duration frequency,
    boolean debugCounters,
    @Nullable CounterLogger counters,
    @Nullable HeartbeatLogger heartbeats) {

  private static final Logger LOG = LoggerFactory.getLogger(MonitorSettings.class);
  private static final String APP_NAME = "app.name";
  private static final String WINDOW = "monitor.window.recycle";
  private static final String FREQUENCY = "monitor.frequency.write";
  private static final String DEBUG = "monitor.debug.counters";

  /** Parameters of {@code <monitor>}. */
  static final List<String> PARAMS = List.of(APP_NAME, WINDOW, FREQUENCY, DEBUG);

  static final Duration DEFAULT_WINDOW = Duration.ofHours(24);
  static final Duration DEFAULT_FREQUENCY = Duration.ofMinutes(5);

  /** Reads the settings from a {@code <monitor>} element. */
  static MonitorSettings from(ConfigNode node) {
    node.allowParams(PARAMS);
    String appName = node.requireParam(APP_NAME);
    Duration window = positive(node, WINDOW, DEFAULT_WINDOW);
    Duration frequency = positive(node, FREQUENCY, DEFAULT_FREQUENCY);
    boolean debug = node.bool(DEBUG, false);
    CounterLogger counters =
        node.child("counter").map(each -> each.instantiate(CounterLogger.class)).orElse(null);
    try {
      return new MonitorSettings(
          appName,
          window,
          frequency,
          debug,
          counters,
          node.child("heartbeat")
              .map(each -> each.instantiate(HeartbeatLogger.class))
              .orElse(null));
    } catch (Throwable e) {
      close(counters);
      throw e;
    }
  }

  MonitorSettings named(String name) {
    return new MonitorSettings(name, window, frequency, debugCounters, counters, heartbeats);
  }

  MonitorSettings every(Duration time) {
    return new MonitorSettings(appName, window, time, debugCounters, counters, heartbeats);
  }

  MonitorSettings over(Duration period) {
    return new MonitorSettings(appName, period, frequency, debugCounters, counters, heartbeats);
  }

  MonitorSettings debugging(boolean on) {
    return new MonitorSettings(appName, window, frequency, on, counters, heartbeats);
  }

  MonitorSettings with(@Nullable CounterLogger lines, @Nullable HeartbeatLogger threads) {
    return new MonitorSettings(appName, window, frequency, debugCounters, lines, threads);
  }

  /** Closes the loggers that can be closed. */
  void closeLoggers() {
    close(counters);
    close(heartbeats);
  }

  private static void close(@Nullable Object logger) {
    if (logger instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.error("Cannot close {}", logger.getClass().getName(), e);
      }
    }
  }

  private static Duration positive(ConfigNode node, String param, Duration dflt) {
    Duration value = node.duration(param, dflt);
    if (value.toMillis() < 1) {
      throw node.error(param, "must be at least 1ms");
    }
    return value;
  }
}
