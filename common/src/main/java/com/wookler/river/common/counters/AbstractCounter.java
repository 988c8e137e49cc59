package com.wookler.river.common.counters;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A number that only grows or, in a {@link DerivedCounter}, is read from elsewhere. Create it, name
 * it, register it with the monitor, keep the reference, and add to it: adding takes no lock and
 * needs no lookup. Reports are differences of the totals, so no addition is ever missing from them.
 *
 * <p>Names and mode are set before the counter is registered; the subclass says which threads may
 * add. {@link #total()} and {@link #count()} may be read from any thread.
 */
public abstract sealed class AbstractCounter permits Counter, ConcurrentCounter, DerivedCounter {
  /** Says when a counter is reported. */
  public enum Mode {
    /** Always. */
    PROD,
    /** Only if the monitor's {@code monitor.debug.counters} is true. */
    DEBUG
  }

  private final TimeWindow window;
  private final Class<? extends AbstractMeasure> type;
  private final Instant created;
  private String namespace = "";
  private String name = "";
  private Mode mode = Mode.PROD;
  private Map<String, String> labels = Map.of();
  private String meter = "";
  private Map<String, String> tags = Map.of();

  /** Whether samples are counted besides their sum. */
  final boolean average;

  AbstractCounter(TimeWindow window, Class<? extends AbstractMeasure> type) {
    boolean reads = this instanceof DerivedCounter;
    if (type != Count.class && type != (reads ? Gauge.class : Average.class)) {
      throw new IllegalArgumentException("A " + getClass().getSimpleName() + " is no " + type);
    }
    this.window = window;
    this.type = type;
    this.average = type == Average.class;
    this.created = window.now();
  }

  /** Returns the first part of the name; empty if not set. */
  public final String namespace() {
    return namespace;
  }

  /** Returns the second part of the name. */
  public final String name() {
    return name;
  }

  /** Returns when the counter is reported; {@link Mode#PROD} if not set. */
  public final Mode mode() {
    return mode;
  }

  /** Returns the labels that distinguish the counter from others of its name; empty if not set. */
  public final Map<String, String> labels() {
    return labels;
  }

  /**
   * Sets the labels that distinguish the counter from others of its name. A series with labels ends
   * with its last counter: it leaves the reports, and its total is dropped.
   */
  public final AbstractCounter labels(Map<String, String> value) {
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(value));
    return this;
  }

  /** Sets the first part of the name. */
  public final AbstractCounter namespace(String value) {
    namespace = value;
    return this;
  }

  /** Sets the second part of the name. */
  public final AbstractCounter name(String value) {
    name = value;
    return this;
  }

  /** Sets when the counter is reported. */
  public final AbstractCounter mode(Mode value) {
    mode = value;
    return this;
  }

  /** Returns the name of its meter; empty: namespace and name, as in reports. */
  public final String meter() {
    return meter;
  }

  /** Returns the tags of its meter; without {@link #meter} these are the labels. */
  public final Map<String, String> tags() {
    return meter.isEmpty() ? labels : tags;
  }

  /** Sets the name and tags of its meter, for a counter whose namespace names its owner. */
  public final AbstractCounter meter(String value, Map<String, String> itsTags) {
    meter = value;
    tags = Collections.unmodifiableMap(new LinkedHashMap<>(itsTags));
    return this;
  }

  /** Returns the windows in which the counter is reported. */
  public final TimeWindow window() {
    return window;
  }

  /** Returns the kind of the counter: {@link Count}, {@link Average} or {@link Gauge}. */
  public final Class<? extends AbstractMeasure> type() {
    return type;
  }

  /** Returns when this counter was created. */
  public final Instant created() {
    return created;
  }

  /** Adds 1; to an average, a sample of 1 ns. */
  public final void increment() {
    add(1);
  }

  /**
   * Adds to a count; to an average, adds one sample of {@code value} nanoseconds. Negative values
   * are not rejected.
   */
  public abstract void add(long value);

  /**
   * Adds several samples at once; a count ignores {@code count}.
   *
   * @param value the sum of the samples, in nanoseconds for an average
   * @param count the number of samples
   */
  public abstract void add(long value, long count);

  /** Returns the sum of all additions. */
  public abstract long total();

  /** Returns the number of samples added to an average; 0 for a count. */
  public abstract long count();

  final Totals totals() {
    return new Totals(total(), count());
  }
}
