package com.wookler.river.core;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops the dead letters of one subscriber that are too many or too old. Not thread-safe. */
final class DeadLetterDrops {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterDrops.class);

  private final QueueStorage storage;
  private final String subscriber;
  private final RateLimitedLog said;
  private long notSaid; // letters that were dropped

  DeadLetterDrops(QueueStorage storage, String subscriber) {
    this.storage = storage;
    this.subscriber = subscriber;
    this.said = new RateLimitedLog(storage.config.time());
  }

  /** Drops the oldest of {@code letters}, of which none is in flight, and returns how many. */
  long drop(Subscriber<byte[]> letters, BlockLog log, long most, Duration age) {
    SubscriberStats stats = letters.stats();
    long first = stats.ackFloor();
    long kept = first;
    if (!age.isZero() && stats.oldestUnfinishedAge().compareTo(age) > 0) {
      kept = Math.max(kept, firstSince(log, age));
    }
    if (most > 0) {
      kept = Math.max(kept, first + stats.lag() - most);
    }
    if (kept > first) {
      letters.seek(Position.sequence(kept));
      report(kept - first, most, age);
    }
    return kept - first;
  }

  private long firstSince(BlockLog log, Duration age) {
    long micros = storage.config.time().epochMicros() - TimeUnit.MICROSECONDS.convert(age);
    try (LogReader reader = log.reader()) {
      return reader.sequenceAt(micros).orElse(log.nextSequence());
    }
  }

  private void report(long dropped, long most, Duration age) {
    storage.notifyListeners(listeners -> listeners.deadLettersDropped(subscriber, dropped));
    notSaid += dropped;
    if (said.mayLog()) {
      LOG.warn(
          "Queue {}, subscriber {}: the oldest {} dead letters were dropped, with"
              + " subscriber.dead.max {} and subscriber.dead.age {}; redrive or purge them in"
              + " time, or raise the limits",
          storage.config.name(),
          subscriber,
          notSaid,
          most,
          age);
      notSaid = 0;
    }
  }
}
