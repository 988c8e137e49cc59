package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Capacity;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends to a log within its limits: refuses, or waits for capacity, as its policy says.
 *
 * <p>Subscribers are asked for what they need only when the known capacity is used up. A publisher
 * that waits is woken by the first of them that completes something ({@link BlockLog#capacity}),
 * and looks again every {@value #LOOK_MILLIS} ms, in case a subscriber is removed; it holds no
 * lock. Thread-safe.
 */
final class AdmissionControl {
  private static final int LOOK_MILLIS = 10;
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final String queue;
  private final QueueConfig<?> config;
  private final BlockLog log;
  private final LongSupplier lowWatermark;
  private final TimeSource time;

  private volatile long metFullAt; // when a publisher last met a full queue

  private volatile @Nullable String episode; // the text of the first refusal in it

  private volatile QueueStatus status = QueueStatus.UP; // these are written under the monitor
  private volatile boolean ends; // because the queue is not in use

  /** Limits a log; {@code lowWatermark} returns the lowest sequence that is still needed. */
  AdmissionControl(QueueConfig<?> config, BlockLog log, LongSupplier lowWatermark) {
    this.queue = config.name();
    this.config = config;
    this.log = log;
    this.lowWatermark = lowWatermark;
    this.time = config.time();
    limit();
  }

  /** Has the log keep to the limits, which may have changed. */
  void limit() {
    log.capacity().limit(config.capacity());
  }

  QueueStatus status() {
    return status;
  }

  /** Accepts or refuses publishes, as a status says; none is under way when this returns. */
  synchronized void become(QueueStatus to) {
    if (to.accepts()) {
      log.capacity().refuse(ends);
      status = to;
    } else {
      status = to; // before a publish is refused, which is to know why
      log.capacity().refuse(true);
    }
  }

  /** Refuses publishes because the queue is to be removed, or accepts them again. */
  synchronized void end(boolean begins) {
    if (begins) {
      ends = true;
      log.capacity().refuse(true);
    } else {
      log.capacity().refuse(!status.accepts());
      ends = false;
    }
  }

  private boolean discards() {
    return config.get(QueueOptions.FULL_POLICY) == FullPolicy.DISCARD_OLDEST;
  }

  /**
   * Appends the buffer of the calling thread and returns the first sequence.
   *
   * @throws QueueFullException nothing was stored
   * @throws QueueStatusException the queue accepts nothing
   */
  long append(PublishBuffer buffer, long micros) {
    check(buffer);
    long sequence = log.append(buffer, micros);
    return sequence == Capacity.NONE
        ? appendToFull(buffer, () -> log.append(buffer, time.epochMicros()), true)
        : sequence;
  }

  /**
   * Appends; where the policy is to wait returns {@link Capacity#NONE}, for a caller that others
   * wait for.
   *
   * @throws QueueFullException nothing was stored
   */
  long appendNow(PublishBuffer buffer) {
    check(buffer);
    LongSupplier attempt = () -> log.append(buffer, time.epochMicros());
    long sequence = attempt.getAsLong();
    return sequence == Capacity.NONE ? appendToFull(buffer, attempt, false) : sequence;
  }

  /**
   * Appends by an attempt, repeated while there is no capacity. The attempt has to {@link #check}
   * the buffer.
   *
   * @throws QueueFullException nothing was stored
   */
  long append(PublishBuffer buffer, LongSupplier attempt) {
    long sequence = attempt.getAsLong();
    return sequence == Capacity.NONE ? appendToFull(buffer, attempt, true) : sequence;
  }

  /**
   * Returns what an attempt returns, repeated once if subscribers may free capacity; never waits,
   * whatever the policy.
   *
   * @throws QueueStatusException the queue accepts nothing
   */
  long attempt(LongSupplier attempt) {
    long sequence = attempt.getAsLong();
    return sequence == Capacity.NONE ? again(attempt) : sequence;
  }

  /** Refuses what is larger than a queue that discards its oldest messages for it. */
  void check(PublishBuffer buffer) {
    if (discards()) {
      refuseWhatNeverFits(buffer);
    }
  }

  private long appendToFull(PublishBuffer buffer, LongSupplier attempt, boolean waits) {
    long sequence = again(attempt);
    if (sequence == Capacity.NONE) {
      refuseWhatNeverFits(buffer);
      if (config.get(QueueOptions.FULL_POLICY) != FullPolicy.BLOCK) {
        throw full("");
      }
      if (waits) {
        return await(attempt);
      }
      begin("");
    }
    return sequence;
  }

  /** Refuses a publish if the status of the queue does, or if it is deleted. */
  void checkStatus() {
    if (ends) {
      throw new QueueClosedException("queue " + queue + " is removed: it was not in use");
    }
    QueueStatus now = status;
    if (!now.accepts()) {
      throw new QueueStatusException("queue " + queue, now, "publishes");
    }
  }

  private long again(LongSupplier attempt) {
    checkStatus();
    log.capacity().free(lowWatermark.getAsLong());
    return attempt.getAsLong();
  }

  /** Refuses a batch that is larger than the queue, for which there will never be capacity. */
  private void refuseWhatNeverFits(PublishBuffer buffer) {
    if (!log.capacity().couldEverHold(buffer)) {
      throw new QueueFullException(
          "queue %s: %s of %s bytes can never fit within %s; split the batch or raise the limit"
              .formatted(
                  queue,
                  Amount.of(buffer.document().count(), "message"),
                  buffer.document().length(),
                  config.limits()));
    }
  }

  private long await(LongSupplier attempt) {
    long started = time.nanoTime();
    long timeout = saturated(config.get(QueueOptions.FULL_TIMEOUT));
    Capacity.Waiting place = log.capacity().enter();
    try {
      while (true) {
        place.looks();
        long sequence = again(attempt);
        if (sequence != Capacity.NONE) {
          return sequence;
        }
        long left = timeout - (time.nanoTime() - started);
        if (left <= 0) {
          throw full(
              ", and its subscribers did not complete enough in "
                  + config.get(QueueOptions.FULL_TIMEOUT));
        }
        if (Thread.currentThread().isInterrupted()) {
          throw full(", and the thread that waited was interrupted");
        }
        begin("");
        place.park(time, Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)));
      }
    } finally {
      log.capacity().leave(place);
    }
  }

  private static long saturated(Duration timeout) {
    return timeout.compareTo(LONGEST) < 0 ? timeout.toNanos() : LONGEST.toNanos();
  }

  private QueueFullException full(String why) {
    return new QueueFullException(begin(why));
  }

  private String begin(String why) {
    String text =
        "queue %s is full (%s): its slowest subscriber, if it has any, still needs what is there%s"
            .formatted(queue, config.limits(), why);
    if (episode == null) {
      episode = text;
    }
    metFullAt = time.nanoTime();
    return text;
  }

  /**
   * Computes the capacity anew, because a subscriber may have moved back, and returns the text of
   * the first refusal if the queue is full. It no longer counts as full once a tenth of its limits
   * is free and no publisher was refused for a second.
   */
  Optional<String> look() {
    if (!config.isLimited() || discards()) {
      return Optional.empty();
    }
    log.capacity().free(lowWatermark.getAsLong());
    if (episode != null && log.capacity().isRoomy() && time.nanoTime() - metFullAt >= QUIET_NANOS) {
      episode = null;
    }
    return Optional.ofNullable(episode);
  }
}
