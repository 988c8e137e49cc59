package com.wookler.river.core;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Shortage;
import com.wookler.river.core.subscriber.ForceOrder;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides at intervals what is due on a queue: recycling by time, forces, archiving, expiry of
 * backups. Forcing and archiving run on the pools, one task of a kind at a time a queue.
 */
final class Housekeeper implements ManagedTask {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
  private static final Duration INTERVAL = Duration.ofMillis(100);
  // a clock that is stepped makes no larger steps: what recycles and expires says no time
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final long OWNERSHIP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long EXPIRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String queue;
  private final BlockLog log;
  private final SubscriberRegistry<?> subscribers;
  private final ForceOrder order;
  private final BlockArchiver archiver;
  private final Compactor compactor;
  private final FullWatch fullWatch;
  private final LongConsumer use; // looks at the use of queue and subscribers
  private final QueueStorage storage;
  private final TimeSource time;
  private final QueueConfig<?> config;

  private final AtomicBoolean forcing = new AtomicBoolean();
  private final AtomicBoolean working = new AtomicBoolean();
  private final AtomicBoolean expiry = new AtomicBoolean();
  private volatile boolean stopped; // set by the closing thread, read by the worker
  private long forcedAt; // confined to the task's steps, which never overlap
  private long expiredAt;
  private long lookedAt; // at the ownership of the directory
  private int reported; // the number of the last shortage that listeners were notified of
  private boolean failed;
  private final RateLimitedLog saidUnforced; // confined to force(), of which there is one at a time

  Housekeeper(
      QueueStorage storage,
      SubscriberRegistry<?> subscribers,
      ForceOrder order,
      BlockArchiver archiver,
      Compactor compactor,
      FullWatch fullWatch,
      LongConsumer use) {
    this.storage = storage;
    this.log = storage.log;
    this.config = storage.config;
    this.queue = config.name();
    this.subscribers = subscribers;
    this.order = order;
    this.archiver = archiver;
    this.compactor = compactor;
    this.fullWatch = fullWatch;
    this.use = use;
    this.time = config.time();
    this.saidUnforced = new RateLimitedLog(time);
    this.forcedAt = time.nanoTime();
    this.expiredAt = forcedAt - EXPIRY_NANOS;
    this.lookedAt = forcedAt;
  }

  @Override
  public String name() {
    return "MESSAGE-QUEUE-" + queue;
  }

  @Override
  public Duration interval() {
    Duration sync = config.get(QueueOptions.SYNC_INTERVAL);
    return sync.compareTo(INTERVAL) < 0 ? sync : INTERVAL;
  }

  @Override
  public Duration quiet() {
    long least = interval().toNanos();
    if (archiver.isDue() || compactor.isDue()) {
      return interval();
    }
    long due = Math.min(subscribers.nanosUntilDue(), LONGEST.toNanos());
    if (order.isUnforced()) {
      long sync = TimeUnit.NANOSECONDS.convert(config.get(QueueOptions.SYNC_INTERVAL));
      due = Math.min(due, sync - (time.nanoTime() - forcedAt));
    }
    return Duration.ofNanos(Math.max(due, least));
  }

  @Override
  public boolean step() {
    long now = time.nanoTime();
    if (now - lookedAt >= OWNERSHIP_NANOS && !log.ownership().isLost()) {
      lookedAt = now;
      log.ownership().keep();
      log.unmapIdle();
      log.checkFiles();
    }
    if (!log.ownership().isLost()) { // otherwise its files belong to another process
      work(now);
    }
    if (!failed && log.failure().isPresent()) {
      failed = true;
      Throwable cause = log.failure().get();
      storage.notifyListeners(all -> all.failed(cause));
    }
    return false;
  }

  private void work(long now) {
    log.recycleIfDue();
    subscribers.discard(log.capacity().discardBelow(), false);
    log.relieve(subscribers::lowWatermark);
    fullWatch.look();
    subscribers.runMaintenance();
    tellShortage();
    if (now - forcedAt >= TimeUnit.NANOSECONDS.convert(config.get(QueueOptions.SYNC_INTERVAL))
        && order.isUnforced()) {
      forcedAt = now;
      once(forcing, storage.flusher, this::force);
    }
    if ((archiver.isDue() || compactor.isDue()) && working.compareAndSet(false, true)) {
      storage.worker.execute(this::archive);
    }
    if (now - expiredAt >= EXPIRY_NANOS) {
      expiredAt = now;
      use.accept(now);
      Backup backup = storage.backup;
      if (backup != null) {
        once(expiry, storage.worker, () -> expire(backup));
      }
    }
  }

  /** Forces; logs a failure once a minute, though it is tried again at each interval. */
  private void force() {
    try {
      order.force();
    } catch (RuntimeException | Error e) {
      if (saidUnforced.mayLog()) {
        LOG.warn("Queue {}: not all of it could be forced, trying again: {}", queue, e.toString());
      }
    }
  }

  private void tellShortage() {
    Shortage shortage = log.shortage().orElse(null);
    if (shortage != null && shortage.number() > reported) {
      reported = shortage.number();
      storage.notifyListeners(all -> all.full(shortage.text()));
    }
  }

  /**
   * Archives one block, and compacts one, then submits itself again, so that other queues have
   * their turn.
   */
  private void archive() {
    boolean more = false;
    try {
      archiver.archiveOne();
      compactor.compactOne();
      more = !stopped && (archiver.isDue() || compactor.isDue());
    } finally {
      working.set(more);
    }
    if (more) {
      storage.worker.execute(this::archive);
    }
  }

  /** Ends archiving; the worker's serial executor is empty soon after. */
  void stop() {
    stopped = true;
  }

  private static void once(AtomicBoolean running, Executor pool, Runnable work) {
    if (running.compareAndSet(false, true)) {
      pool.execute(
          () -> {
            try {
              work.run();
            } finally {
              running.set(false);
            }
          });
    }
  }

  private void expire(Backup expiring) {
    try {
      subscribers.expire(expiring);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Queue {}: cannot remove backups whose time is over", queue, e);
    }
  }
}
