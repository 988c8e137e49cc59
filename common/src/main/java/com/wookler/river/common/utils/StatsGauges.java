package com.wookler.river.common.utils;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractMeasure;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The stats of one owner, as a queue or a subscriber, in the monitor's report. They are taken when
 * one of them is read, all at once and at most once a second; publishing and consuming pay nothing.
 *
 * <p>Thread-safe. The stats are taken under this object's monitor, so that they are not being taken
 * any more when {@link #close} returns.
 *
 * @param <S> the stats
 */
public final class StatsGauges<S> implements AutoCloseable {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String namespace;
  private final Map<String, String> labels;
  private final Supplier<S> source;
  private final TimeSource time;
  private final CounterSet counters = new CounterSet();

  @GuardedBy("this")
  private @Nullable S taken;

  @GuardedBy("this")
  private long takenAt;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Creates it; it reports nothing before {@link #add}.
   *
   * @param namespace of all its counters
   * @param source takes the stats, on the threads that report
   */
  public StatsGauges(
      String namespace, Map<String, String> labels, Supplier<S> source, TimeSource time) {
    this.namespace = namespace;
    this.labels = labels;
    this.source = source;
    this.time = time;
    this.takenAt = time.nanoTime() - FRESH_NANOS;
  }

  /**
   * Reports one of the figures. Does nothing without a monitor.
   *
   * @param type {@code Count} or {@code Gauge}
   */
  public void add(String name, Class<? extends AbstractMeasure> type, ToLongFunction<S> figure) {
    counters.derived(namespace, name, labels, type, () -> read(figure));
  }

  private synchronized long read(ToLongFunction<S> figure) {
    long now = time.nanoTime();
    if (!closed && now - takenAt >= FRESH_NANOS) {
      takenAt = now;
      try {
        taken = source.get();
      } catch (RuntimeException e) { // it is being closed: what there was last
        Monitoring.debug(StatsGauges.class, e);
      }
    }
    return taken == null ? 0 : figure.applyAsLong(taken);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    counters.close();
  }
}
