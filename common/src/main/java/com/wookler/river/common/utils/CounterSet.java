package com.wookler.river.common.utils;

import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractCounter.Mode;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Counter;
import com.wookler.river.common.counters.DerivedCounter;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.counters.TimeWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one owner, which are unregistered from the monitor together.
 *
 * <p>Numbers that are written under one lock get a counter of their own, without lock or
 * contention; the monitor sums the counters of the same name. Without a monitor the counters work,
 * but are not reported. Thread-safe.
 */
public final class CounterSet implements AutoCloseable {
  private static final TimeWindow UNREPORTED =
      new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH);

  private final List<AbstractCounter> registered = new ArrayList<>(); // guarded by this
  private final List<Distribution> distributions = new ArrayList<>(); // guarded by this
  private boolean closed; // guarded by this

  /** Creates a counter that one thread at a time writes. */
  public AbstractCounter local(
      String namespace, String name, Class<? extends AbstractMeasure> type) {
    return Monitor.find().isPresent()
        ? registered(Monitoring.create(false, namespace, name, type, Mode.PROD))
        : new Counter(UNREPORTED, type).namespace(namespace).name(name).mode(Mode.PROD);
  }

  /** Creates a counter that any thread may write. */
  public AbstractCounter shared(
      String namespace, String name, Class<? extends AbstractMeasure> type) {
    return Monitor.find().isPresent()
        ? registered(Monitoring.create(true, namespace, name, type, Mode.PROD))
        : new ConcurrentCounter(UNREPORTED, type).namespace(namespace).name(name).mode(Mode.PROD);
  }

  /**
   * Creates a counter of one owner, whom its namespace names and its meter has in its tags.
   *
   * @param shared whether any thread may write it, or one at a time
   */
  public AbstractCounter owned(
      boolean shared, String namespace, String name, String meter, Map<String, String> tags) {
    Monitor monitor = Monitor.find().orElse(null);
    TimeWindow window = monitor == null ? UNREPORTED : monitor.timewindow();
    AbstractCounter counter =
        shared ? new ConcurrentCounter(window, Count.class) : new Counter(window, Count.class);
    counter.namespace(namespace).name(name).mode(Mode.PROD).meter(meter, tags);
    if (monitor != null) {
      monitor.add(counter);
      return registered(counter);
    }
    return counter;
  }

  /** Creates a distribution, which can be observed until this set is closed. */
  public Distribution distribution(
      String name, Map<String, String> labels, Distribution.Unit unit) {
    Distribution distribution = new Distribution(name, labels, unit);
    Monitor.find().ifPresent(monitor -> monitor.add(distribution));
    synchronized (this) {
      if (!closed) {
        distributions.add(distribution);
        return distribution;
      }
    }
    remove(distribution);
    return distribution;
  }

  /** Withdraws a distribution. */
  public synchronized void remove(Distribution distribution) {
    distributions.remove(distribution);
    Monitor.find().ifPresent(monitor -> monitor.remove(distribution));
  }

  /**
   * Reports a number that is kept elsewhere, until this set is closed. Does nothing without a
   * monitor.
   *
   * @param type {@code Count} or {@code Gauge}
   * @param value read on the threads that report; must not throw
   */
  public void derived(
      String namespace,
      String name,
      Map<String, String> labels,
      Class<? extends AbstractMeasure> type,
      LongSupplier value) {
    Monitor monitor = Monitor.find().orElse(null);
    if (monitor != null) {
      AbstractCounter counter =
          new DerivedCounter(monitor.timewindow(), type, value)
              .namespace(namespace)
              .name(name)
              .labels(labels);
      monitor.add(counter);
      registered(counter);
    }
  }

  private synchronized AbstractCounter registered(@Nullable AbstractCounter reported) {
    AbstractCounter counter = Objects.requireNonNull(reported, "the monitor was closed");
    if (closed) {
      Monitoring.remove(counter);
    } else {
      registered.add(counter);
    }
    return counter;
  }

  /** Unregisters a counter. */
  public synchronized void remove(AbstractCounter counter) {
    if (registered.remove(counter)) {
      Monitoring.remove(counter);
    }
  }

  /**
   * Unregisters all counters. Their totals stay in the sums of their names, except for those with
   * labels. Counters created afterwards are not reported.
   */
  @Override
  public synchronized void close() {
    closed = true;
    registered.forEach(Monitoring::remove);
    registered.clear();
    List.copyOf(distributions).forEach(this::remove);
  }
}
