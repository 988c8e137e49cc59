package com.wookler.river.common.utils;

import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Counter;
import com.wookler.river.common.counters.TimeWindow;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Creates counters and registers them with the monitor. Thread-safe. */
public final class Monitoring {
  private Monitoring() {}

  /**
   * Creates a counter and registers it. Counters of the same namespace and name are reported as
   * one.
   *
   * @param global true if any number of threads add to it; false if one at a time does, which costs
   *     less
   * @param namespace the first part of its name
   * @param name the second part
   * @param type {@code Count} or {@code Average}
   * @param mode whether it is reported always or only when debugging
   * @return null if there is no monitor
   */
  public static @Nullable AbstractCounter create(
      boolean global,
      String namespace,
      String name,
      Class<? extends AbstractMeasure> type,
      AbstractCounter.Mode mode) {
    AbstractCounter counter = null;
    try {
      TimeWindow window = Monitor.get().timewindow();
      if (global) {
        counter = new ConcurrentCounter(window, type).namespace(namespace).name(name).mode(mode);
        addGlocalCounter(counter);
      } else {
        counter = new Counter(window, type).namespace(namespace).name(name).mode(mode);
        addLocalCounter(counter);
      }
    } catch (Monitor.MonitorException e) {
      debug(Monitoring.class, e);
    }
    return counter;
  }

  /**
   * Registers a counter that any number of threads add to. (The spelling is the original's.)
   *
   * @throws Monitor.MonitorException if there is no monitor
   */
  public static void addGlocalCounter(AbstractCounter counter) {
    Monitor.get().add(counter);
  }

  /**
   * Registers a counter with one writer at a time.
   *
   * @throws Monitor.MonitorException if there is no monitor
   */
  public static void addLocalCounter(AbstractCounter counter) {
    Monitor.get().add(counter);
  }

  /**
   * Unregisters a counter. Its total stays in the sum of its name. Does nothing if it is not
   * registered or there is no monitor.
   */
  public static void remove(AbstractCounter counter) {
    Monitor.find().ifPresent(monitor -> monitor.remove(counter));
  }

  /**
   * Removes the series of a namespace that have no counter left from the reports. Does nothing if
   * there is no monitor.
   */
  public static void forget(String namespace) {
    Monitor.find().ifPresent(monitor -> monitor.forget(namespace));
  }

  /** Logs an error at debug level under the name of {@code type}. */
  public static void debug(Class<?> type, Throwable error) {
    LoggerFactory.getLogger(type).debug("{}", error.getMessage(), error);
  }
}
