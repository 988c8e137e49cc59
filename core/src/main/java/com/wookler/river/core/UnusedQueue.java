package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.SubscriberEntries.Use;
import com.wookler.river.core.message.QueueStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds out since when a queue is empty and not in use, and has it removed once {@code
 * queue.expires.after} is over. Time counts while the queue is open, on the monotonic clock.
 * Thread-safe.
 */
final class UnusedQueue {
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final QueueStorage storage;
  private final Predicate<List<Use>> isEmpty;
  private final Runnable expire;

  @GuardedBy("this")
  private long since;

  @GuardedBy("this")
  private long triedAt;

  @GuardedBy("this")
  private long end; // of the log

  @GuardedBy("this")
  private List<Use> known = List.of();

  private volatile long unusedSeconds; // written under the monitor

  /**
   * @param isEmpty returns whether there is nothing in the queue for its subscribers
   * @param expire has the queue removed by another thread, if it is not used until then
   */
  UnusedQueue(QueueStorage storage, Predicate<List<Use>> isEmpty, Runnable expire) {
    this.storage = storage;
    this.isEmpty = isEmpty;
    this.expire = expire;
    this.since = storage.config.time().nanoTime();
    this.triedAt = since - RETRY_NANOS;
  }

  /** Returns for how long the queue has been empty and not in use. */
  long unusedSeconds() {
    return unusedSeconds;
  }

  /** Looks at the use until now, at intervals of a second or so. */
  void look(long now, List<Use> uses) {
    Duration after = storage.config.get(QueueOptions.EXPIRES_AFTER);
    boolean due;
    synchronized (this) {
      if (!isUnused(uses)) {
        since = now;
      }
      end = storage.log.nextSequence();
      known = uses;
      unusedSeconds = TimeUnit.NANOSECONDS.toSeconds(now - since);
      due =
          !after.isZero()
              && now - since >= TimeUnit.NANOSECONDS.convert(after)
              && now - triedAt >= RETRY_NANOS
              && storage.directory.status() == QueueStatus.UP; // else an operator sees to it
      triedAt = due ? now : triedAt;
    }
    if (due) {
      expire.run();
    }
  }

  /** Returns whether the queue is empty, and was not used since the last look. */
  synchronized boolean isUnused(List<Use> uses) {
    boolean same = storage.log.nextSequence() == end && uses.size() == known.size();
    for (int i = 0; same && i < uses.size(); i++) {
      Use before = known.get(i);
      same = before.name().equals(uses.get(i).name()) && before.isSame(uses.get(i));
    }
    return same && isEmpty.test(uses);
  }
}
