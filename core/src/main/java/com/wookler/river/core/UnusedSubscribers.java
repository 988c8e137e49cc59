package com.wookler.river.core;

import static java.time.temporal.ChronoUnit.SECONDS;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.SubscriberEntries.Use;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.message.QueueClosedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds subscribers that are not in use: warns of what they hold of the log, and removes those
 * whose {@code subscriber.expires.after} is over. Time counts while the queue is open, on the
 * monotonic clock: neither a clock that is set nor a long downtime removes a subscriber.
 *
 * <p>Confined to the steps of housekeeping, but for {@link #holding}.
 */
final class UnusedSubscribers {
  private static final Logger LOG = LoggerFactory.getLogger(UnusedSubscribers.class);
  private static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final QueueStorage storage;
  private final SubscriberRegistry<?> subscribers;
  private final QueueConfig<?> config;
  private Map<String, Idle> known = new HashMap<>();
  private volatile int holding;

  /** Since when a subscriber is not in use. */
  private static final class Idle {
    final Use use;
    final long since;
    long triedAt;
    boolean warned;

    Idle(Use use, long since) {
      this.use = use;
      this.since = since;
      this.triedAt = since - RETRY_NANOS;
    }
  }

  UnusedSubscribers(QueueStorage storage, SubscriberRegistry<?> subscribers) {
    this.storage = storage;
    this.subscribers = subscribers;
    this.config = storage.config;
  }

  /** Returns how many hold more of the log, unused, than the queue warns of. */
  int holding() {
    return holding;
  }

  /** Looks at all, at intervals of a second or so; removes on threads of their own. */
  void look(long now, List<Use> uses) {
    Map<String, Idle> all = new HashMap<>();
    int over = 0;
    for (Use use : uses) {
      Idle before = known.get(use.name());
      Idle idle = before != null && before.use.isSame(use) ? before : new Idle(use, now);
      all.put(use.name(), idle);
      if (isOver(idle, now)) {
        over++;
      }
      Duration expires = use.config().expiresAfter();
      if (!expires.isZero()
          && now - idle.since >= TimeUnit.NANOSECONDS.convert(expires)
          && now - idle.triedAt >= RETRY_NANOS) {
        idle.triedAt = now;
        Runnable removal = () -> remove(idle.use, expires); // which waits for the worker
        new MonitoredThread("RIVER-expire-" + config.name(), removal).start();
      }
    }
    known = all;
    holding = over;
  }

  private boolean isOver(Idle idle, long now) {
    long first = Math.max(storage.log.firstSequence(), idle.use.lowWatermark());
    if (now - idle.since < UNUSED_NANOS || first >= storage.log.nextSequence()) {
      return false;
    }
    List<BlockInfo> held = storage.log.blocksFrom(first);
    Duration age = Duration.ofNanos(held.isEmpty() ? 0 : held.get(0).ageNanos());
    if (!isOver(held.size(), age)) {
      return false;
    }
    if (!idle.warned) {
      idle.warned = true;
      warn(idle.use.name(), held.size(), age);
    }
    return true;
  }

  private boolean isOver(int blocks, Duration age) {
    long most = config.get(QueueOptions.UNUSED_BLOCKS);
    Duration oldest = config.get(QueueOptions.UNUSED_AGE);
    return (most > 0 && blocks > most) || (!oldest.isZero() && age.compareTo(oldest) > 0);
  }

  private void warn(String subscriber, int blocks, Duration age) {
    LOG.warn(
        "Queue {}, subscriber {}: it is not in use and holds {} blocks of the log, the oldest {}"
            + " old (queue.unused.blocks, queue.unused.age); poll it, remove it, or set"
            + " subscriber.expires.after",
        config.name(),
        subscriber,
        blocks,
        age.truncatedTo(SECONDS));
    storage.notifyListeners(all -> all.subscriberUnused(subscriber, blocks, age));
  }

  private void remove(Use last, Duration after) {
    String name = last.name();
    try {
      if (subscribers.removeUnused(last)) {
        LOG.info(
            "Queue {}, subscriber {}: removed, not in use for {} (subscriber.expires.after)",
            config.name(),
            name,
            after);
        storage.notifyListeners(all -> all.subscriberExpired(name, after));
      }
    } catch (QueueClosedException | RejectedExecutionException e) {
      LOG.debug("Queue {}, subscriber {}: not removed, as it is closed", config.name(), name, e);
    } catch (RuntimeException e) {
      LOG.warn("Queue {}, subscriber {}: cannot remove it", config.name(), name, e);
    }
  }
}
