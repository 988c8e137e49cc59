package com.wookler.river.common.micrometer;

import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.CounterListener;
import com.wookler.river.common.counters.CounterSeries;
import com.wookler.river.common.counters.Distribution;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Binds the monitor's counters to Micrometer meters: the same numbers as in the log, read when the
 * registry is, without a cost when counting. Counters that are added later are bound then.
 *
 * <p>Times and sizes are passed on one by one while it is bound: a distribution of times, such as
 * {@code river.publish} with the tag {@code queue}, becomes a timer, one of sizes a distribution
 * summary, both with the median, the 95th and the 99th percentile. Each costs what the registry
 * takes to record it.
 *
 * <p>A count {@code ns.name} becomes the counter {@code ns.name}, a gauge the gauge of that name;
 * their labels become tags; counts in whose namespace a queue or processor is named get a name of
 * their own and a tag instead. Meters with tags are removed when their series ends. An average
 * becomes the counters {@code ns.name.samples} and {@code ns.name.millis}, the number and the sum
 * of its times in milliseconds, and the gauge {@code ns.name.average}, their quotient since the
 * start. The gauge {@code river.threads} is the number of monitored threads that run. Two series
 * with the same name and labels but different modes share the meter of the first one.
 *
 * <p>Thread-safe. {@link #close} removes the meters; do so before the environment is shut down.
 */
public final class RiverMeterBinder implements MeterBinder, AutoCloseable {
  private static final double NANOS_A_MILLI = 1_000_000;
  private static final double[] PERCENTILES = {0.5, 0.95, 0.99};

  private final Monitor monitor;
  private final List<Binding> bindings = new CopyOnWriteArrayList<>();

  /** Creates a binder for the counters of a monitor. */
  public RiverMeterBinder(Monitor monitor) {
    this.monitor = monitor;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(monitor, registry);
    bindings.add(binding);
    monitor.addListener(binding);
  }

  private static double average(CounterSeries series) {
    long count = series.count();
    return count == 0 ? 0 : series.total() / NANOS_A_MILLI / count;
  }

  /** Removes all meters that were bound, and binds no more. Idempotent. */
  @Override
  public void close() {
    for (Binding binding : bindings) {
      monitor.removeListener(binding);
      binding.close();
    }
    bindings.clear();
  }

  /** The meters that were bound to one registry. */
  private static final class Binding implements CounterListener {
    private final MeterRegistry registry;
    private final Meter threads;
    private final Map<CounterSeries, List<Meter>> meters = new ConcurrentHashMap<>();
    private final Map<Distribution, Observer> observers = new HashMap<>(); // guarded by this
    private volatile boolean closed;

    Binding(Monitor monitor, MeterRegistry registry) {
      this.registry = registry;
      this.threads =
          Gauge.builder("river.threads", monitor, each -> each.threads().size())
              .description("Monitored threads that run")
              .register(registry);
    }

    @Override
    public void added(CounterSeries series) {
      meters.put(series, bind(series));
      if (series.hasEnded() || closed) { // meanwhile
        removed(series);
      }
    }

    @Override
    public void removed(CounterSeries series) {
      List<Meter> bound = meters.remove(series);
      if (bound != null) {
        bound.forEach(registry::remove);
      }
    }

    private List<Meter> bind(CounterSeries series) {
      String name = series.meter();
      List<Tag> tags = tags(series.tags());
      if (series.type() == Average.class) {
        return List.of(
            FunctionCounter.builder(name + ".samples", series, CounterSeries::count)
                .tags(tags)
                .register(registry),
            FunctionCounter.builder(name + ".millis", series, each -> each.total() / NANOS_A_MILLI)
                .tags(tags)
                .register(registry),
            Gauge.builder(name + ".average", series, RiverMeterBinder::average)
                .tags(tags)
                .register(registry));
      }
      return List.of(
          series.type() == com.wookler.river.common.counters.Gauge.class
              ? Gauge.builder(name, series, CounterSeries::total).tags(tags).register(registry)
              : FunctionCounter.builder(name, series, CounterSeries::total)
                  .tags(tags)
                  .register(registry));
    }

    private static List<Tag> tags(Map<String, String> labels) {
      List<Tag> tags = new ArrayList<>();
      labels.forEach((label, value) -> tags.add(Tag.of(label, value)));
      return tags;
    }

    @Override
    public synchronized void added(Distribution distribution) {
      if (closed || observers.containsKey(distribution)) {
        return;
      }
      Observer observer = observer(distribution);
      observers.put(distribution, observer);
      distribution.observe(observer.target());
    }

    private Observer observer(Distribution distribution) {
      List<Tag> tags = tags(distribution.labels());
      if (distribution.unit() == Distribution.Unit.BYTES) {
        DistributionSummary sizes =
            DistributionSummary.builder(distribution.name())
                .tags(tags)
                .baseUnit("bytes")
                .publishPercentiles(PERCENTILES)
                .register(registry);
        return new Observer(sizes, sizes::record);
      }
      Timer times =
          Timer.builder(distribution.name())
              .tags(tags)
              .publishPercentiles(PERCENTILES)
              .register(registry);
      return new Observer(times, nanos -> times.record(nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public synchronized void removed(Distribution distribution) {
      Observer observer = observers.remove(distribution);
      if (observer != null) {
        distribution.ignore(observer.target());
        if (observers.values().stream().noneMatch(each -> each.meter().equals(observer.meter()))) {
          registry.remove(observer.meter()); // else another queue of that name has it too
        }
      }
    }

    void close() {
      closed = true;
      registry.remove(threads);
      meters.keySet().forEach(this::removed);
      synchronized (this) {
        List.copyOf(observers.keySet()).forEach(this::removed);
      }
    }

    /** What records the values of a distribution. */
    private record Observer(Meter meter, LongConsumer target) {}
  }
}
