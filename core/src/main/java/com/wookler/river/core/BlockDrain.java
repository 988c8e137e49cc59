package com.wookler.river.core;

import com.wookler.river.common.RetryBackoff;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.file.Device;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Salvage;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes blocks that every subscriber has completed, or that the queue gives up, out of the log:
 * into the backup, verified, and only then away.
 *
 * <p>Given up is what the limits of the queue discard, and what its retention has no time or place
 * for: without subscribers, or if it may remove unfinished messages. Whoever still needs them is
 * moved past them first.
 *
 * <p>Confined to the queue's serial task on the background workers. In order: back up; under the
 * removal lock make sure that the block is still drained and forget it, so that no reader finds it
 * any more; let every reader that stands in it leave; delete its files, behind whatever the flusher
 * still does with them ({@link BlockRemoval}). The file of a block with damage, of which there can
 * be no backup, is kept in the queue's directory instead.
 */
final class BlockDrain {
  private static final Logger LOG = LoggerFactory.getLogger(BlockDrain.class);
  private static final int TRIES_WITHOUT_SPACE = 3;

  private final String queue;
  private final BlockLog log;
  private final SubscriberRegistry<?> subscribers;
  private final QueueConfig<?> config;
  private final @Nullable Backup backup;
  private final ReentrantLock removal;
  private final Executor flusher;
  private final Delays delays;
  private final IntConsumer leaveLookup;
  private final Salvage salvage;
  private final BlockRemoval files;
  private final Listeners listeners;

  private final AtomicLong archived = new AtomicLong();
  private final AtomicLong unseen = new AtomicLong();
  private volatile long backupFailures; // written by the serial task
  private final RetryBackoff retry; // confined to the serial task, but for isTime
  private boolean keep; // the block at hand, because it is damaged; confined to the serial task
  private int withoutSpace; // tries in a row to back a block up; as above

  BlockDrain(
      QueueStorage storage,
      SubscriberContext<?> context,
      SubscriberRegistry<?> subscribers,
      Delays delays,
      IntConsumer leaveLookup) {
    this.queue = context.queue();
    this.log = context.log();
    this.removal = context.removal();
    this.subscribers = subscribers;
    this.backup = storage.backup;
    this.config = storage.config;
    this.flusher = storage.flusher;
    this.delays = delays;
    this.leaveLookup = leaveLookup;
    this.salvage = storage.salvage;
    this.files = new BlockRemoval(queue, log, salvage, context.order(), context.time());
    this.listeners = storage.listeners;
    this.retry = new RetryBackoff(context.time());
  }

  /** Blocks taken out so far of which there is a backup. */
  long archived() {
    return archived.get();
  }

  /** Messages that were given up while nobody subscribed. */
  long unseen() {
    return unseen.get();
  }

  /** Returns whether a block can go now; cheap, for housekeeping. */
  boolean isDue() {
    return log.failure().isEmpty() && (files.isDue() || (retry.isTime() && drained().isPresent()));
  }

  /** Returns the oldest block if it is closed, and completed or given up. */
  private Optional<Seal> drained() {
    return log.oldestSealed()
        .filter(seal -> delays.lowWatermark() >= seal.endSequence())
        .filter(seal -> isCompleted(seal) || isGivenUp(seal));
  }

  private boolean isCompleted(Seal seal) {
    OptionalLong lowWatermark = subscribers.lowWatermark();
    return lowWatermark.isPresent() && lowWatermark.getAsLong() >= seal.endSequence();
  }

  private boolean isGivenUp(Seal seal) {
    if (log.capacity().discardBelow() >= seal.endSequence()) {
      return true;
    }
    Retention retention = config.retention();
    if (retention.isNone() || (!retention.removesUnfinished() && isUnfinished(seal))) {
      return false;
    }
    Retention.Held held = new Retention.Held(log.nextSequence() - log.firstSequence(), log.bytes());
    return retention.isOver(seal, held, log.times().ageOf(seal.lastMicros()));
  }

  private boolean isUnfinished(Seal seal) {
    return subscribers.lowWatermark().isPresent() || !subscribers.haveForwarded(seal.endSequence());
  }

  /** Takes one block out, if there is one. */
  void drainOne() {
    if (files.takeDue()) {
      flusher.execute(files::run);
    }
    Optional<Seal> next = drained();
    if (next.isEmpty() || log.failure().isPresent()) {
      return; // of a log that failed nothing goes: what its ledgers say may not be on the device
    }
    Seal seal = next.get();
    try {
      keep = false;
      Path file = backup == null ? null : watched(backup, seal);
      if (remove(seal) && file != null) {
        archived.incrementAndGet();
        listeners.blockArchived(seal, file);
      }
      retry.succeeded();
    } catch (
        Throwable e) { // an error too, such as a native library that is missing: it would recur
      LOG.warn(
          "Queue {}: block {} stays, it could not be archived; next try in {} s: {}",
          queue,
          seal.block(),
          retry.failed(),
          e.toString());
    }
  }

  /** Counts tries that fail; returns as {@link #backUp}. */
  private @Nullable Path watched(Backup to, Seal seal) throws IOException {
    try {
      Path file = backUp(to, seal);
      backupFailures = 0;
      return file;
    } catch (Throwable e) {
      long before = backupFailures; // written by this task only
      backupFailures = before + 1;
      if (before == 0) {
        listeners.backupFailed(seal.block(), e.toString());
      }
      throw e;
    }
  }

  /** Returns how many tries to back a block up have failed since the last backup; any thread. */
  long backupFailures() {
    return backupFailures;
  }

  /** Null if it is to leave the log without a backup. */
  private @Nullable Path backUp(Backup to, Seal seal) throws IOException {
    try {
      Path file = to.archive(seal, log.file(seal));
      withoutSpace = 0;
      return file;
    } catch (DamagedMessageException e) {
      return damaged(seal, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      Path directory = config.get(QueueOptions.BACKUP_DIRECTORY);
      if (!Files.exists(log.file(seal))) {
        return damaged(seal, "damaged: " + log.file(seal) + " is gone");
      }
      if (!Device.REAL.isFull(e, directory)
          || ++withoutSpace < TRIES_WITHOUT_SPACE
          || config.get(QueueOptions.BACKUP_FULL) == BackupFull.KEEP) {
        throw e;
      }
      LOG.warn(
          "Queue {}: no space to back up block {} with sequences {} to {} in {}: it is deleted"
              + " without a backup, as backup.full says",
          queue,
          seal.block(),
          seal.firstSequence(),
          seal.endSequence() - 1,
          directory);
      return null;
    }
  }

  private @Nullable Path damaged(Seal seal, String what) throws IOException {
    LOG.warn("Queue {}: {}; there can be no backup", queue, what);
    salvage.reportAll(seal);
    keep = true;
    return null;
  }

  private boolean remove(Seal seal) {
    removal.lock();
    try {
      boolean completed = isCompleted(seal);
      if (!completed && !isGivenUp(seal)) {
        return false; // somebody moved back while it was being compressed
      }
      subscribers.discard(seal.endSequence(), true);
      if (!subscribers.havePassed(seal.endSequence())) {
        return false; // one was being closed: the next time
      }
      if (!completed && subscribers.lowWatermark().isEmpty()) {
        unseen.addAndGet(seal.messages());
      }
      log.forget(seal);
    } finally {
      removal.unlock();
    }
    subscribers.open().forEach(subscriber -> subscriber.leave(seal.block()));
    leaveLookup.accept(seal.block());
    delays.leave(seal.block());
    boolean damaged = keep;
    flusher.execute(() -> files.add(seal, damaged));
    return true;
  }
}
