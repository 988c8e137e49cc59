package com.wookler.river.core;

import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Device;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.log.files.Seal;
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
 * Archives drained and discarded blocks: backs them up, verifies the backup, and only then deletes
 * them.
 *
 * <p>The limits of the queue discard blocks, and so does its retention: without subscribers, or if
 * it may remove unfinished messages. Subscribers that still need them are moved past them first.
 *
 * <p>Confined to the queue's serial executor on the worker. The order: back up; under the removal
 * lock verify that the block is still drained and forget it; have every reader close it; delete its
 * files, after what the flusher still does with them ({@link BlockRemoval}). The file of a damaged
 * block, of which there can be no backup, is kept in the queue's directory instead.
 */
final class BlockArchiver {
  private static final Logger LOG = LoggerFactory.getLogger(BlockArchiver.class);
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
  private final DamageReporter salvage;
  private final BlockRemoval files;
  private final Listeners listeners;
  private final Compactor compactor;

  private final AtomicLong archived = new AtomicLong();
  private final AtomicLong unseen = new AtomicLong();
  private volatile long backupFailures; // written by the serial task
  private final RetryBackoff retry; // confined to the serial task, but for isTime
  private boolean keep; // the block at hand, because it is damaged; confined to the serial task
  // attempts in a row to back a block up; confined to the serial task
  private int withoutSpace;

  BlockArchiver(
      QueueStorage storage,
      SubscriberContext<?> context,
      SubscriberRegistry<?> subscribers,
      Delays delays,
      IntConsumer leaveLookup,
      Compactor compactor) {
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
    this.compactor = compactor;
    this.retry = new RetryBackoff(context.time());
  }

  long archived() {
    return archived.get();
  }

  /** Returns how many messages were discarded while the queue had no subscriber. */
  long unseen() {
    return unseen.get();
  }

  /** Returns whether a block can go now; cheap, for housekeeping. */
  boolean isDue() {
    return log.failure().isEmpty()
        && (files.isDue() || (retry.isTime() && nextToArchive().isPresent()));
  }

  /** Returns the oldest block if it is closed, and drained or discarded. */
  private Optional<Seal> nextToArchive() {
    return log.oldestSealed()
        .filter(seal -> delays.lowWatermark() >= seal.endSequence())
        .filter(seal -> isCompleted(seal) || isDiscarded(seal));
  }

  private boolean isCompleted(Seal seal) {
    if (compactor.keeps(seal)) {
      return false;
    }
    OptionalLong lowWatermark = subscribers.lowWatermark();
    return lowWatermark.isPresent() && lowWatermark.getAsLong() >= seal.endSequence();
  }

  private boolean isDiscarded(Seal seal) {
    if (log.capacity().discardBelow() >= seal.endSequence()
        || (isRemoved(seal) && !isUnfinished(seal))) {
      return true;
    }
    Retention retention = config.retention();
    if (retention.isNone() || (!retention.removesUnfinished() && isUnfinished(seal))) {
      return false;
    }
    Retention.Held held = new Retention.Held(log.nextSequence() - log.firstSequence(), log.bytes());
    return retention.isOver(seal, held, log.times().ageOf(seal.lastMicros()));
  }

  /** Returns whether all of its messages were removed. */
  private boolean isRemoved(Seal seal) {
    return log.removed().endOf(seal.firstSequence()) >= seal.endSequence();
  }

  private boolean isUnfinished(Seal seal) {
    OptionalLong lowWatermark = subscribers.lowWatermark();
    return (lowWatermark.isPresent() && lowWatermark.getAsLong() < seal.endSequence())
        || !subscribers.partsHavePassed(seal.endSequence());
  }

  void archiveOne() {
    if (files.takeDue()) {
      flusher.execute(files::run);
    }
    Optional<Seal> next = nextToArchive();
    if (next.isEmpty() || log.failure().isPresent()) {
      return; // once the log has failed nothing is deleted: its ledgers may not be on the device
    }
    Seal seal = next.get();
    try {
      keep = false;
      Path file = backup == null || isRemoved(seal) ? null : watched(backup, seal);
      if (remove(seal) && file != null) {
        archived.incrementAndGet();
        compactor.left(seal);
        listeners.blockArchived(seal, file);
      }
      retry.succeeded();
    } catch (Throwable e) { // an error too, such as a missing native library
      LOG.warn(
          "Queue {}: block {} stays, it could not be archived; next try in {} s: {}",
          queue,
          seal.block(),
          retry.failed(),
          e.toString());
    }
  }

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

  /** Returns the backup; null if the block leaves the log without one. */
  private @Nullable Path backUp(Backup to, Seal seal) throws IOException {
    try {
      Path file = to.archive(seal, log.file(seal));
      withoutSpace = 0;
      return file;
    } catch (DamagedException e) {
      return damaged(seal, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      Path directory = config.get(QueueOptions.BACKUP_DIRECTORY);
      if (!Files.exists(log.file(seal))) {
        return damaged(seal, "damaged: " + log.file(seal) + " is missing");
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
      if (!completed && !isDiscarded(seal)) {
        return false; // a subscriber moved back while it was being compressed
      }
      subscribers.discard(seal.endSequence(), true);
      if (!subscribers.havePassed(seal.endSequence())) {
        return false; // a subscriber was being closed: archived the next time
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
