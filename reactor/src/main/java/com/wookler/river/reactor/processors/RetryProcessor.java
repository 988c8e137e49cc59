package com.wookler.river.reactor.processors;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.NestedProcessors;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores and forwards: a processor around one that depends on something which may be away.
 *
 * <p>When that one fails by the fault of what it depends on, the message and all after it in the
 * batch are given back as if they had not been delivered, and the reactor takes nothing for a
 * while: messages wait in their queue, publishers continue, no attempt is used up, and with one
 * thread the order is kept. After several failures in a row a circuit breaker opens: from time to
 * time one call is let through, and when it succeeds all continue.
 *
 * <p>What counts as such a failure: an {@link IOException}, a {@link TimeoutException}, a result
 * that asks for a retry without an exception; or what the predicate says. Anything else is the
 * message's own failure, and goes the subscriber's way of retries and dead letters. So a message
 * that alone makes downstream fail in the first way holds all others up; make such a failure a
 * {@link ProcessResult#reject}, or an exception of another kind.
 *
 * <p>Around an asynchronous processor it goes by the results of the stages. Those that have begun
 * when the breaker opens are completed, so that the order is kept only with one message in flight.
 * A stage that exceeds the reactor's time limit counts as a {@link TimeoutException}; what it gives
 * later is applied as it is, and does not count.
 *
 * <p>In XML: parameters {@code breaker.failures}, {@code breaker.wait}, {@code breaker.pause},
 * {@code breaker.trips} (a predicate's class), and a {@code <processor>} within. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class RetryProcessor<M>
    implements BatchProcessor<M>, ReactorAware<M>, Configurable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RetryProcessor.class);
  private static final String FAILURES = "breaker.failures";
  private static final String WAIT = "breaker.wait";
  private static final String PAUSE = "breaker.pause";
  private static final String TRIPS = "breaker.trips";

  private @Nullable Guarded<M> guarded; // set before the first message
  private boolean isAsync; // set before the first message

  /** What is called, and how. */
  private record Guarded<M>(
      BatchProcessor<M> downstream,
      TimedCircuitBreaker breaker,
      Predicate<? super Throwable> trips,
      TimeSource time) {

    /** The outcome of a call must be reported: what the user's predicate throws means no. */
    boolean isAway(Throwable thrown) {
      try {
        return trips.test(thrown);
      } catch (RuntimeException | Error e) {
        LOG.error("The predicate {} of a retry processor threw", trips, e);
        return false;
      }
    }
  }

  /** For XML. */
  public RetryProcessor() {}

  private RetryProcessor(Guarded<M> guarded) {
    this.guarded = guarded;
  }

  /** Starts from the defaults, for a processor of single messages. */
  public static <M> Builder<M> around(Processor<M> downstream) {
    return new Builder<>(BatchProcessor.of(downstream));
  }

  /** Starts from the defaults, for a processor of batches. */
  public static <M> Builder<M> aroundBatches(BatchProcessor<M> downstream) {
    return new Builder<>(downstream);
  }

  @Override
  @SuppressWarnings("unchecked") // the XML names the class
  public void configure(ConfigNode node) {
    node.allowParams(List.of(FAILURES, WAIT, PAUSE, TRIPS));
    Builder<M> builder = new Builder<>(NestedProcessors.<M>readSingle(node));
    builder.name = node.requireAttribute("name");
    builder.failures = node.integer(FAILURES, builder.failures);
    builder.wait = node.duration(WAIT, builder.wait);
    builder.pause = node.duration(PAUSE, builder.pause);
    if (node.param(TRIPS).isPresent()) {
      builder.trips = node.instantiateParam(TRIPS, Predicate.class);
    }
    guarded = builder.guarded();
  }

  private Guarded<M> guarded() {
    Guarded<M> present = guarded;
    if (present == null) {
      throw new ConfigurationException("a retry processor needs a processor within");
    }
    return present;
  }

  /** Whether downstream is away: calls wait. */
  public boolean isAway() {
    return !guarded().breaker().isClosed();
  }

  @Override
  public void startIn(ReactorContext<M> reactor) {
    Guarded<M> parts = guarded();
    isAsync = NestedProcessors.start(parts.downstream(), reactor, result -> judged(result, parts));
  }

  /** Judges a result of a stage that has completed. */
  private static <M> ProcessResult<M> judged(ProcessResult<M> result, Guarded<M> parts) {
    return judged(List.of(result), parts, parts.time().nanoTime()).get(0);
  }

  @Override
  public int mostAtOnce() {
    return guarded().downstream().mostAtOnce();
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) throws Exception {
    int most = mostAtOnce();
    if (batch.size() <= most) {
      return call(batch);
    }
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    boolean held = false;
    for (int i = 0; i < batch.size(); i += most) {
      List<Delivery<M>> some = batch.subList(i, Math.min(batch.size(), i + most));
      List<ProcessResult<M>> its =
          held ? Collections.nCopies(some.size(), ProcessResult.release()) : attempt(some);
      held = held || its.stream().anyMatch(ProcessResult::isReleased);
      results.addAll(its);
    }
    return results;
  }

  /** What is thrown over some must not take back what became of those before. */
  private List<ProcessResult<M>> attempt(List<Delivery<M>> some) {
    try {
      return call(some);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Collections.nCopies(some.size(), ProcessResult.retry(Duration.ZERO)); // it had begun
    } catch (Throwable e) {
      return Collections.nCopies(some.size(), ProcessResult.failed(e));
    }
  }

  private List<ProcessResult<M>> call(List<Delivery<M>> batch) throws Exception {
    Guarded<M> parts = guarded();
    if (!parts.breaker().mayCall()) {
      return held(batch, parts.breaker().untilNext());
    }
    long started = parts.time().nanoTime();
    List<ProcessResult<M>> results;
    try {
      results = List.copyOf(parts.downstream().process(batch));
    } catch (InterruptedException e) {
      parts.breaker().undecided();
      throw e;
    } catch (Throwable e) {
      if (parts.isAway(e)) {
        parts.breaker().failed(started, e);
        return held(batch, parts.breaker().untilNext());
      }
      parts.breaker().succeeded(started); // it is there
      throw e;
    }
    boolean begun = isAsync && results.stream().allMatch(ProcessResult::isLater);
    return begun ? results : judged(results, parts, started); // a stage's result is judged later
  }

  private static <M> List<ProcessResult<M>> judged(
      List<ProcessResult<M>> results, Guarded<M> parts, long started) {
    Throwable failure = null;
    Duration asked = Duration.ZERO;
    for (ProcessResult<M> result : results) {
      if (isAway(result, parts)) {
        Throwable cause = result.cause();
        failure = cause == null ? new IOException(result.toString()) : cause;
        Duration pause = result.pause();
        asked = pause == null ? asked : TimedCircuitBreaker.max(asked, pause);
      }
    }
    if (failure == null) {
      if (results.stream().allMatch(result -> result.isReleased() && result.cause() == null)) {
        parts.breaker().undecided();
      } else {
        parts.breaker().succeeded(started);
      }
      return results.stream().map(RetryProcessor::ofItsOwn).toList();
    }
    parts.breaker().failed(started, failure);
    Duration hold = TimedCircuitBreaker.max(asked, parts.breaker().untilNext());
    List<ProcessResult<M>> kept = new ArrayList<>(results.size());
    for (ProcessResult<M> result : results) {
      kept.add(isAway(result, parts) ? ProcessResult.holdBack(hold) : ofItsOwn(result));
    }
    return kept;
  }

  /** Over a cause that does not mean an absence, a message is not given back but fails. */
  private static <M> ProcessResult<M> ofItsOwn(ProcessResult<M> result) {
    Throwable cause = result.cause();
    return cause != null && result.isReleased() ? ProcessResult.failed(cause) : result;
  }

  private static <M> boolean isAway(ProcessResult<M> result, Guarded<M> parts) {
    Throwable cause = result.cause();
    return cause == null ? result.isRetry() : parts.isAway(cause);
  }

  private static <M> List<ProcessResult<M>> held(List<Delivery<M>> batch, Duration hold) {
    return Collections.nCopies(batch.size(), ProcessResult.holdBack(hold));
  }

  @Override
  public void close() {
    if (guarded != null) {
      NestedProcessors.close(guarded.downstream());
    }
  }

  /**
   * Collects the settings of a processor. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final BatchProcessor<M> downstream;
    private String name = "downstream";
    private int failures = 3;
    private Duration wait = Duration.ofSeconds(5);
    private Duration pause = Duration.ofMillis(100);
    private Predicate<? super Throwable> trips =
        e -> e instanceof IOException || e instanceof TimeoutException;
    private TimeSource time = TimeSource.system();

    private Builder(BatchProcessor<M> downstream) {
      this.downstream = Objects.requireNonNull(downstream, "downstream");
    }

    /** What downstream is called in the log (default {@code downstream}). */
    public Builder<M> name(String text) {
      this.name = Objects.requireNonNull(text, "text");
      return this;
    }

    /** How many failures in a row open the circuit breaker (default 3). */
    public Builder<M> failures(int number) {
      this.failures = number;
      return this;
    }

    /** How long it stays open before the next call is tried (default 5 s). */
    public Builder<M> waitWhenAway(Duration time) {
      this.wait = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Sets how long to wait after a failure that does not open it (default 100 ms). */
    public Builder<M> pause(Duration time) {
      this.pause = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Which exceptions are downstream's fault, and not the message's. */
    public Builder<M> trips(Predicate<? super Throwable> exceptions) {
      this.trips = Objects.requireNonNull(exceptions, "exceptions");
      return this;
    }

    /** The clock, for tests that move it (default: the system's). */
    public Builder<M> timeSource(TimeSource source) {
      this.time = Objects.requireNonNull(source, "source");
      return this;
    }

    private Guarded<M> guarded() {
      check(failures >= 1, FAILURES + " is " + failures + "; it must be 1 or more");
      check(wait.toMillis() >= 1, WAIT + " is " + wait + "; it must be 1 ms or more");
      check(!pause.isNegative(), PAUSE + " is " + pause + "; it must not be negative");
      TimedCircuitBreaker breaker =
          new TimedCircuitBreaker(
              name + " is away", name + " is back", failures, wait, pause, time);
      return new Guarded<>(downstream, breaker, trips, time);
    }

    private void check(boolean right, String what) {
      if (!right) {
        throw new ConfigurationException("retry processor " + name + ": " + what);
      }
    }

    /**
     * The processor.
     *
     * @throws ConfigurationException a setting is out of its range
     */
    public RetryProcessor<M> build() {
      return new RetryProcessor<>(guarded());
    }
  }
}
