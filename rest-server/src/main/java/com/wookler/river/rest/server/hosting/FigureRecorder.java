package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples the figures of all queues and subscribers, and keeps those of the last ten minutes, hour
 * and day, so that a page that is opened has what came before. Queues and subscribers beyond {@link
 * #MAX_HISTORIES} have no past. {@link #sample} is called by one thread at a time; the rest is
 * thread-safe.
 */
public final class FigureRecorder {
  /** How often {@link #sample} is to be called. */
  public static final Duration STEP = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(FigureRecorder.class);
  private static final int MAX_HISTORIES = 2_000; // of 16 KB at most

  private final QueueCatalog catalog;
  private final TimeSource time;
  private final Supplier<List<HostedSubscriber<?>>> consumers;
  private final Map<SeriesKey, FigureHistory> histories = new ConcurrentHashMap<>();
  private final DeadLetterCounts deadLetters;
  private final List<Consumer<Figures>> listeners = new CopyOnWriteArrayList<>();

  /** Counters of the sample before; confined to the thread that samples. */
  private Map<SeriesKey, long[]> counters = new HashMap<>();

  private long sampledNanos;

  /** Volatile: replaced as a whole by the thread that samples. */
  private volatile Figures latest = Figures.NONE;

  /** The figures of a queue whose past is kept, in this order. */
  public static final List<String> OF_QUEUE = List.of("published", "acked", "messages", "lag");

  /** The figures of a subscriber whose past is kept, in this order. */
  public static final List<String> OF_SUBSCRIBER =
      List.of("delivered", "acked", "lag", "inFlight", "redelivered");

  /**
   * Creates a recorder.
   *
   * @param consumers returns the subscriber of each poll and stream that is open
   */
  public FigureRecorder(
      QueueCatalog catalog,
      TimeSource time,
      Supplier<List<HostedSubscriber<?>>> consumers,
      DeadLetterCounts deadLetters) {
    this.deadLetters = deadLetters;
    this.catalog = catalog;
    this.time = time;
    this.consumers = consumers;
  }

  /** Returns the figures of the last sample. */
  public Figures latest() {
    return latest;
  }

  /** Has a listener called with each sample, on the thread that samples. Must not block. */
  public void addListener(Consumer<Figures> listener) {
    listeners.add(listener);
  }

  /** Ends that. */
  public void removeListener(Consumer<Figures> listener) {
    listeners.remove(listener);
  }

  /** Takes a sample, and calls the listeners with it. May block. */
  public void sample() {
    long nanos = time.nanoTime();
    Pass pass = new Pass((nanos - sampledNanos) / (double) Duration.ofSeconds(1).toNanos());
    for (HostedQueue<?> hosted : catalog.all()) {
      pass.add(hosted);
    }
    sampledNanos = nanos;
    counters = pass.counts;
    histories.keySet().retainAll(pass.counts.keySet());
    deadLetters.retain(pass.counts.keySet());
    Figures now =
        new Figures(
            Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS), pass.queues, pass.rows);
    latest = now;
    listeners.forEach(listener -> listener.accept(now));
  }

  /** One sample that is being taken. */
  private final class Pass {
    final double seconds;
    final Map<SeriesKey, long[]> counts = new HashMap<>();
    final Map<String, Figures.OfQueue> queues = new LinkedHashMap<>();
    final Map<String, List<Figures.OfSubscriber>> rows = new HashMap<>();

    final Map<SeriesKey, Integer> connected = new HashMap<>();

    Pass(double seconds) {
      this.seconds = seconds;
      consumers
          .get()
          .forEach(
              each ->
                  connected.merge(
                      new SeriesKey(each.queue(), each.subscriber().name()), 1, Integer::sum));
    }

    void add(HostedQueue<?> hosted) {
      String name = hosted.queue().name();
      QueueState state = hosted.queue().state();
      try {
        QueueStats stats = hosted.queue().stats();
        List<Figures.OfSubscriber> subscribers = subscribers(hosted);
        SeriesKey key = SeriesKey.of(name);
        double published = rates(key, stats.nextSequence())[0];
        Figures.OfQueue row = Figures.OfQueue.of(name, state, stats, published, subscribers);
        queues.put(name, row);
        rows.put(name, subscribers);
        record(key, row.published(), row.acked(), (double) row.messages(), (double) row.lag());
      } catch (RiverException e) {
        LOG.debug("Cannot sample the figures of queue {}", name, e);
        queues.put(name, Figures.OfQueue.notRunning(name, state));
      }
    }

    private List<Figures.OfSubscriber> subscribers(HostedQueue<?> hosted) {
      String queue = hosted.queue().name();
      List<Figures.OfSubscriber> all = new ArrayList<>();
      for (Subscriber<?> each : open(hosted)) {
        try {
          SubscriberStats stats = each.stats();
          SeriesKey key = new SeriesKey(queue, each.name());
          double[] rates = rates(key, stats.delivered(), stats.acked(), stats.redelivered());
          long dead = deadLetters.waiting(key, each, stats);
          Figures.OfSubscriber row =
              Figures.OfSubscriber.of(
                  each.name(), stats, rates, dead, connected.getOrDefault(key, 0));
          record(
              key,
              row.delivered(),
              row.acked(),
              (double) row.lag(),
              row.inFlight(),
              row.redelivered());
          all.add(row);
        } catch (RiverException e) { // closed meanwhile
          LOG.debug("Cannot sample the figures of subscriber {}", each.name(), e);
        }
      }
      return all;
    }

    /** Opens those of queues that requests created; the application opens its own. */
    private List<Subscriber<?>> open(HostedQueue<?> hosted) {
      List<Subscriber<?>> all = new ArrayList<>();
      if (hosted.settings() == null) {
        all.addAll(hosted.queue().subscribers());
      } else {
        hosted.subscribers().forEach(each -> all.add(each.subscriber()));
      }
      all.sort((a, b) -> a.name().compareTo(b.name()));
      return all;
    }

    /** Returns how much counters have grown a second since the sample before. */
    private double[] rates(SeriesKey key, long... values) {
      counts.put(key, values);
      long[] before = counters.get(key);
      double[] rates = new double[values.length];
      if (before != null && seconds > 0) {
        for (int i = 0; i < values.length; i++) {
          rates[i] =
              Figures.rounded(Math.max(0, values[i] - before[i]) / seconds); // 0 after a reopening
        }
      }
      return rates;
    }

    private void record(SeriesKey key, double... values) {
      FigureHistory history = histories.get(key);
      if (history == null && histories.size() < MAX_HISTORIES) {
        history = new FigureHistory(values.length);
        histories.put(key, history);
      }
      if (history != null) {
        history.add(values);
      }
    }
  }

  /**
   * Returns what is kept of the past of a queue or a subscriber: by name of the figure values that
   * are a step apart, the last of which is of the latest sample.
   *
   * @param subscriber null for the queue
   */
  public Map<String, float[]> past(String queue, @Nullable String subscriber, PastSpan span) {
    List<String> names = subscriber == null ? OF_QUEUE : OF_SUBSCRIBER;
    FigureHistory history =
        histories.get(subscriber == null ? SeriesKey.of(queue) : new SeriesKey(queue, subscriber));
    Map<String, float[]> all = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      all.put(names.get(i), history == null ? new float[0] : history.values(i, span));
    }
    return all;
  }
}
