package com.wookler.river.reactor.processors;

import com.wookler.river.common.TimeSource;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether calls may be made: the library's circuit breaker, and how long to wait for it. */
final class TimedCircuitBreaker {
  private static final Logger LOG = LoggerFactory.getLogger(TimedCircuitBreaker.class);
  private static final Duration SHORTEST = Duration.ofMillis(10);

  private final String opened;
  private final String closed;
  private final Duration wait;
  private final Duration pause;
  private final TimeSource time;
  private final CircuitBreaker circuit;
  private volatile long openedNanos; // when it opened last

  /**
   * Closed.
   *
   * @param opened what the log says when it opens
   * @param closed and when it closes
   * @param failures how many in a row open it
   * @param wait how long it stays open until one call is let through
   * @param pause how long to wait after a failure that does not open it
   */
  TimedCircuitBreaker(
      String opened, String closed, int failures, Duration wait, Duration pause, TimeSource time) {
    this.opened = opened;
    this.closed = closed;
    this.wait = wait;
    this.pause = pause;
    this.time = time;
    this.circuit =
        CircuitBreaker.of(
            opened,
            CircuitBreakerConfig.custom()
                .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(failures)
                .minimumNumberOfCalls(failures)
                .failureRateThreshold(100)
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitDurationInOpenState(wait)
                .clock(new Time(time))
                .currentTimestampFunction(clock -> time.nanoTime(), TimeUnit.NANOSECONDS)
                .build());
    circuit
        .getEventPublisher()
        .onStateTransition(event -> changed(event.getStateTransition().getToState()));
  }

  /** The clock of a time source. */
  private static final class Time extends Clock {
    private final TimeSource time;

    Time(TimeSource time) {
      this.time = time;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this; // only its instants are used
    }

    @Override
    public Instant instant() {
      return time.wallTime();
    }
  }

  private void changed(State state) {
    switch (state) {
      case OPEN -> {
        openedNanos = time.nanoTime();
        LOG.warn("{}; it is tried again in {}", opened, wait);
      }
      case CLOSED -> LOG.info("{}", closed);
      default -> LOG.debug("{}: {}", opened, state);
    }
  }

  boolean isClosed() {
    return circuit.getState() == State.CLOSED;
  }

  /** Returns whether a call may be made now; its outcome must be reported. */
  boolean mayCall() {
    return circuit.tryAcquirePermission();
  }

  void succeeded(long startedNanos) {
    circuit.onSuccess(time.nanoTime() - startedNanos, TimeUnit.NANOSECONDS);
  }

  void failed(long startedNanos, Throwable cause) {
    LOG.debug("A call failed, of which many would mean: {}", opened, cause);
    circuit.onError(time.nanoTime() - startedNanos, TimeUnit.NANOSECONDS, cause);
  }

  /** The call said nothing about downstream. */
  void undecided() {
    circuit.releasePermission();
  }

  /** How long to wait before the next call. */
  Duration untilNext() {
    return switch (circuit.getState()) {
      case CLOSED -> pause;
      case OPEN -> max(SHORTEST, wait.minusNanos(time.nanoTime() - openedNanos));
      default -> SHORTEST; // another thread is trying
    };
  }

  static Duration max(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}
