package com.wookler.river.core;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops the dead letters of one subscriber that are too many or too old. Not thread-safe. */
final class DeadLetterDrops {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterDrops.class);

  private static final int STEP = 64;

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
  long drop(DurableSubscriber<byte[]> letters, BlockLog log, long most, Duration age) {
    SubscriberStats stats = letters.stats();
    long kept = most > 0 ? firstBut(letters, log, stats, most) : 0;
    if (!age.isZero() && stats.oldestUnfinishedAge().compareTo(age) > 0) {
      kept = Math.max(kept, firstSince(log, age));
    }
    long before = letters.discarded();
    letters.discard(Math.min(kept, log.nextSequence())); // what was moved after it stays so
    long dropped = letters.discarded() - before;
    if (dropped > 0) {
      report(dropped, most, age);
    }
    return dropped;
  }

  /** Returns where the newest of this number begin; some in between may have been moved. */
  private static long firstBut(
      DurableSubscriber<byte[]> letters, BlockLog log, SubscriberStats stats, long most) {
    long first = stats.ackFloor();
    if (first + stats.lag() == log.nextSequence()) {
      return first + Math.max(0, stats.lag() - most);
    }
    long kept = 0;
    for (long left = stats.lag() - most; left > 0; ) {
      List<StoredMessage> some = letters.waiting(kept, (int) Math.min(left, STEP), Long.MAX_VALUE);
      if (some.isEmpty()) {
        return kept;
      }
      kept = some.get(some.size() - 1).sequence() + 1;
      left -= some.size();
    }
    return kept;
  }

  private long firstSince(BlockLog log, Duration age) {
    long wall = storage.config.time().epochMicros() - TimeUnit.MICROSECONDS.convert(age);
    try (LogReader reader = log.reader()) {
      return reader.sequenceAt(log.times().since(wall)).orElse(log.nextSequence());
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
