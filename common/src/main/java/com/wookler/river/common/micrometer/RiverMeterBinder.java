package com.wookler.river.common.micrometer;

import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.CounterSeries;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The monitor's counters as Micrometer meters: the same numbers as in the log, read when the
 * registry is, at no cost to those who count. Counters that appear later are bound when they do.
 *
 * <p>A count {@code ns.name} becomes the counter {@code ns.name}. An average becomes the counters
 * {@code ns.name.samples} and {@code ns.name.millis}, the number and the sum of its times in
 * milliseconds, and the gauge {@code ns.name.average}, their quotient over the whole life. The
 * gauge {@code river.threads} is the number of monitored threads that run. Two series of one name,
 * of different mode, share a meter: the first one's.
 *
 * <p>Thread-safe. {@link #close} removes the meters; do so before the environment is shut down.
 */
public final class RiverMeterBinder implements MeterBinder, AutoCloseable {
  private static final double NANOS_A_MILLI = 1_000_000;

  private final Monitor monitor;
  private final List<Consumer<CounterSeries>> listeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> removals = new CopyOnWriteArrayList<>();

  /** Binds the counters of a monitor. */
  public RiverMeterBinder(Monitor monitor) {
    this.monitor = monitor;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    added(
        registry,
        Gauge.builder("river.threads", monitor, each -> each.threads().size())
            .description("Monitored threads that run")
            .register(registry));
    Consumer<CounterSeries> listener = series -> bind(series, registry);
    listeners.add(listener);
    monitor.addListener(listener);
  }

  private void bind(CounterSeries series, MeterRegistry registry) {
    String name =
        series.namespace().isEmpty() ? series.name() : series.namespace() + "." + series.name();
    if (series.type() == Average.class) {
      added(
          registry,
          FunctionCounter.builder(name + ".samples", series, CounterSeries::count)
              .register(registry));
      added(
          registry,
          FunctionCounter.builder(name + ".millis", series, each -> each.total() / NANOS_A_MILLI)
              .register(registry));
      added(
          registry,
          Gauge.builder(name + ".average", series, RiverMeterBinder::average).register(registry));
    } else {
      added(
          registry, FunctionCounter.builder(name, series, CounterSeries::total).register(registry));
    }
  }

  private static double average(CounterSeries series) {
    long count = series.count();
    return count == 0 ? 0 : series.total() / NANOS_A_MILLI / count;
  }

  private void added(MeterRegistry registry, Meter meter) {
    removals.add(() -> registry.remove(meter));
  }

  /** Removes all meters that were bound, and binds no more. Idempotent. */
  @Override
  public void close() {
    listeners.forEach(monitor::removeListener);
    List<Runnable> all = List.copyOf(removals);
    all.forEach(Runnable::run);
    removals.removeAll(all);
  }
}
