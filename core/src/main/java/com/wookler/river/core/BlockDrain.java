package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Seal;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes blocks that every subscriber has finished out of the log: into the backup, verified, and
 * only then away.
 *
 * <p>Confined to the queue's serial task on the background workers. In order: back up; under the
 * removal lock make sure that the block is still drained and forget it, so that no reader finds it
 * any more; let every reader that stands in it leave; delete its files, behind whatever the flusher
 * still does with them.
 */
final class BlockDrain {
  private static final Logger LOG = LoggerFactory.getLogger(BlockDrain.class);
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String queue;
  private final BlockLog log;
  private final SubscriberRegistry<?> subscribers;
  private final @Nullable Backup backup;
  private final ReentrantLock removal;
  private final Executor flusher;
  private final TimeSource time;
  private final IntConsumer leaveLookup;
  private final Listeners listeners;

  private final AtomicLong archived = new AtomicLong();
  private volatile long notBefore; // after a failure; written by the serial task
  private long retryNanos = FIRST_RETRY_NANOS; // confined to the serial task

  BlockDrain(
      SubscriberContext<?> context,
      SubscriberRegistry<?> subscribers,
      @Nullable Backup backup,
      Executor flusher,
      IntConsumer leaveLookup,
      Listeners listeners) {
    this.queue = context.queue();
    this.log = context.log();
    this.removal = context.removal();
    this.time = context.time();
    this.subscribers = subscribers;
    this.backup = backup;
    this.flusher = flusher;
    this.leaveLookup = leaveLookup;
    this.listeners = listeners;
    this.notBefore = time.nanoTime();
  }

  /** Blocks taken out so far. */
  long archived() {
    return archived.get();
  }

  /** Whether a block can go now; cheap, for housekeeping. */
  boolean isDue() {
    return time.nanoTime() - notBefore >= 0 && log.failure().isEmpty() && drained().isPresent();
  }

  /** The oldest block if it is closed and nobody needs it any more. */
  private Optional<Seal> drained() {
    Optional<Seal> oldest = log.oldestSealed();
    if (oldest.isEmpty()) {
      return oldest; // without asking the subscribers, who would have to lock
    }
    OptionalLong floor = subscribers.floor();
    return floor.isPresent() && floor.getAsLong() >= oldest.get().endSequence()
        ? oldest
        : Optional.empty();
  }

  /** Takes one block out, if there is one. */
  void drainOne() {
    Optional<Seal> next = drained();
    if (next.isEmpty() || log.failure().isPresent()) {
      return; // of a log that failed nothing goes: what its ledgers say may not be on the device
    }
    Seal seal = next.get();
    try {
      Path file = backup == null ? null : backup.archive(seal, log.file(seal));
      if (remove(seal)) {
        archived.incrementAndGet();
        if (file != null) {
          listeners.blockArchived(seal, file);
        }
      }
      retryNanos = FIRST_RETRY_NANOS;
    } catch (
        Throwable e) { // an error too, such as a native library that is missing: it would recur
      notBefore = time.nanoTime() + retryNanos;
      LOG.warn(
          "Queue {}: block {} stays, it could not be archived; next try in {} s: {}",
          queue,
          seal.block(),
          TimeUnit.NANOSECONDS.toSeconds(retryNanos),
          e.toString());
      retryNanos = Math.min(retryNanos * 2, LAST_RETRY_NANOS);
    }
  }

  private boolean remove(Seal seal) {
    removal.lock();
    try {
      OptionalLong floor = subscribers.floor();
      if (floor.isEmpty() || floor.getAsLong() < seal.endSequence()) {
        return false; // somebody moved back while it was being compressed
      }
      log.forget(seal);
    } finally {
      removal.unlock();
    }
    subscribers.open().forEach(subscriber -> leave(subscriber, seal));
    leaveLookup.accept(seal.block());
    flusher.execute(() -> delete(seal));
    return true;
  }

  private static void leave(DurableSubscriber<?> subscriber, Seal seal) {
    subscriber.leave(seal.block());
  }

  /**
   * On the flusher: first the ledgers that say it is finished, so that a power loss undoes neither
   * or both.
   */
  private void delete(Seal seal) {
    try {
      subscribers.force();
      log.delete(seal);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Queue {}: the files of block {} stay; the next start takes them out again",
          queue,
          seal.block(),
          e);
    }
  }
}
