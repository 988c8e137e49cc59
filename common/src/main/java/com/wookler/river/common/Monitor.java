package com.wookler.river.common;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.CounterListener;
import com.wookler.river.common.counters.CounterRegistry;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.errors.RiverException;
import java.io.Serial;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the application's counters and {@link MonitoredThread}s every {@code
 * monitor.frequency.write}, and starts a new period of the counters every {@code
 * monitor.window.recycle}. {@link Env} creates it, and it runs as a task of the environment's task
 * manager. Thread-safe.
 */
public final class Monitor {
  private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);
  private static final AtomicReference<@Nullable Monitor> CURRENT = new AtomicReference<>();

  private final MonitorSettings settings;
  private final TaskManager tasks;
  private final TimeSource time;
  private final ApplicationInfo info;
  private final TimeWindow window;
  private final CounterRegistry registry;
  private final HeartbeatCollector heartbeats = new HeartbeatCollector();
  private final ReportTask reporting;

  /** Thrown when there is no monitor, because there is no environment or it has been shut down. */
  public static final class MonitorException extends RiverException {
    @Serial private static final long serialVersionUID = 1L;

    MonitorException(String message) {
      super(message);
    }
  }

  private Monitor(MonitorSettings settings, TaskManager tasks, TimeSource time) {
    this.settings = settings;
    this.tasks = tasks;
    this.time = time;
    this.info = ApplicationInfo.of(settings.appName(), time.wallTime());
    this.window = new TimeWindow(settings.window(), time::wallTime);
    this.registry = new CounterRegistry(settings.debugCounters(), window.startOf(window.now()));
    this.reporting = new ReportTask();
  }

  /** Creates the monitor and starts reporting. */
  static Monitor start(MonitorSettings settings, TaskManager tasks, TimeSource time) {
    Monitor monitor = new Monitor(settings, tasks, time);
    if (!CURRENT.compareAndSet(null, monitor)) {
      throw new MonitorException("There is a monitor already");
    }
    try {
      tasks.add(monitor.reporting);
    } catch (Throwable e) {
      CURRENT.compareAndSet(monitor, null);
      throw e;
    }
    return monitor;
  }

  /** Writes a last report, closes the loggers and removes the monitor. */
  void close() {
    tasks.remove(reporting);
    try {
      reporting.report();
    } catch (Throwable e) {
      LOG.error("The last report of the monitor failed", e);
    } finally {
      CURRENT.compareAndSet(this, null);
      settings.closeLoggers();
    }
  }

  /**
   * Returns the monitor.
   *
   * @throws MonitorException if there is none
   */
  public static Monitor get() {
    return find()
        .orElseThrow(() -> new MonitorException("There is no monitor; call Env.create() first"));
  }

  /** Returns the monitor, if there is one. */
  public static Optional<Monitor> find() {
    return Optional.ofNullable(CURRENT.get());
  }

  /** Notifies the monitor, if there is one, that a thread has ended. */
  static void ended(MonitoredThread thread) {
    Monitor monitor = CURRENT.get();
    if (monitor != null) {
      monitor.heartbeats.ended(thread);
    }
  }

  /** Returns the windows of {@code monitor.window.recycle}, with which counters are created. */
  public TimeWindow timewindow() {
    return window;
  }

  /** Returns the application's identification, with which each line of a report begins. */
  public ApplicationInfo info() {
    return info;
  }

  /**
   * Registers a counter. It is reported together with all others of its name. Does nothing if it is
   * registered already.
   */
  public void add(AbstractCounter counter) {
    registry.add(counter);
  }

  /**
   * Unregisters a counter. Its total stays in the sum of its name, unless it has labels. Later
   * additions to it are not reported.
   */
  public void remove(AbstractCounter counter) {
    registry.remove(counter);
  }

  /** Offers a distribution to the listeners, to be observed. */
  public void add(Distribution distribution) {
    registry.add(distribution);
  }

  /** Withdraws a distribution. */
  public void remove(Distribution distribution) {
    registry.remove(distribution);
  }

  /** Removes the series of a namespace that have no counter left from the reports. */
  public void forget(String namespace) {
    registry.forget(namespace);
  }

  /** Returns the current values of all counters, without affecting the deltas of the reports. */
  public List<CounterReport> counters() {
    return registry.peek();
  }

  /** Returns the monitored threads that run now. */
  public List<Heartbeat> threads() {
    return heartbeats.running();
  }

  /**
   * Registers a listener, and notifies it of each series that is reported: of the existing ones at
   * once, on the calling thread, and of new ones on the thread that adds them. If a series with
   * labels ends, the listener is notified on the thread that removes it.
   */
  public void addListener(CounterListener listener) {
    registry.addListener(listener);
  }

  /** Unregisters a listener. */
  public void removeListener(CounterListener listener) {
    registry.removeListener(listener);
  }

  /**
   * Writes the reports and starts new periods. Its fields are confined to its steps, of which one
   * runs at a time.
   */
  private final class ReportTask implements ManagedTask {
    private long nextReport = time.nanoTime() + settings.frequency().toNanos();
    private Instant periodEnd = window.endOf(window.now());

    @Override
    public String name() {
      return "MONITOR-" + settings.appName();
    }

    @Override
    public Duration interval() {
      long toReport = nextReport - time.nanoTime();
      long toPeriodEnd = Duration.between(window.now(), periodEnd).toNanos();
      return Duration.ofNanos(Math.max(0, Math.min(toReport, toPeriodEnd)));
    }

    /**
     * Reports before it starts a new period, so that the last report of a period covers all of it.
     */
    @Override
    public boolean step() {
      Instant now = window.now();
      boolean periodOver = !now.isBefore(periodEnd);
      try {
        long late = time.nanoTime() - nextReport;
        if (late >= 0) {
          report();
          // Keep to the schedule, however long the report took; missed reports are skipped.
          long frequency = settings.frequency().toNanos();
          nextReport += (late / frequency + 1) * frequency;
        }
      } finally {
        if (periodOver) {
          registry.startPeriod(window.startOf(now));
          periodEnd = window.endOf(now);
        }
      }
      return false;
    }

    private void report() {
      CounterLogger counterLogger = settings.counters();
      HeartbeatLogger heartbeatLogger = settings.heartbeats();
      try {
        if (counterLogger != null) {
          registry.report(window.now(), lines -> counterLogger.log(info, lines));
        }
      } finally {
        if (heartbeatLogger != null) {
          heartbeats.report(lines -> heartbeatLogger.log(info, lines));
        }
      }
    }
  }
}
