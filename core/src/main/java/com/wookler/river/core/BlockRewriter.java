package com.wookler.river.core;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.BackupRewriter;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.ForceOrder;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Replaces closed blocks and backups by ones without some messages, which keep their sequences: on
 * the queue's serial executor on the worker. Before that all is forced, also what is derived from
 * the messages: their ids and origins. No snapshot is copied while a file is replaced.
 */
final class BlockRewriter {
  private final String queue;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final ForceOrder order;
  private final Executor flusher;
  private final ReentrantLock removal;
  private final SubscriberRegistry<?> subscribers;
  private final Delays delays;
  private final IntConsumer leave;

  BlockRewriter(
      QueueStorage storage,
      SubscriberContext<?> context,
      SubscriberRegistry<?> subscribers,
      Delays delays,
      IntConsumer leave) {
    this.queue = storage.config.name();
    this.log = storage.log;
    this.backup = storage.backup;
    this.order = context.order();
    this.flusher = storage.flusher;
    this.removal = context.removal();
    this.subscribers = subscribers;
    this.delays = delays;
    this.leave = leave;
  }

  /** Forces all that was appended; not on the flusher. */
  void force() throws IOException {
    try {
      if (!CompletableFuture.supplyAsync(order::force, flusher).join()) {
        throw new IOException("the log could not be forced");
      }
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + queue + " is closed", e);
    }
  }

  /**
   * Replaces the file of a block in the log, unless that must not be after all; returns whether it
   * was.
   */
  boolean rewrite(Seal block, Predicate<StoredMessage> without, BooleanSupplier may)
      throws IOException {
    Path file = log.file(block);
    Path made = file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
    try {
      Seal after = new BlockCompactor(file, block, without).write(made);
      leave(block);
      force();
      removal.lock();
      try {
        if (!may.getAsBoolean()) {
          return false;
        }
        if (backup != null) {
          backup.withdraw(block); // one of a block that was kept in the log
        }
        log.replace(block, made, after);
      } finally {
        removal.unlock();
      }
      leave(block);
      return true;
    } finally {
      Files.deleteIfExists(made);
    }
  }

  private void leave(Seal block) {
    subscribers.open().forEach(subscriber -> subscriber.leave(block.block()));
    leave.accept(block.block());
    delays.leave(block.block());
  }

  /** Replaces a backup in the same way. */
  boolean rewrite(
      Backup past, StoredBlock stored, Predicate<StoredMessage> without, BooleanSupplier may)
      throws IOException {
    force();
    StoredBlock made = Backup.compacted(stored, without);
    removal.lock();
    try {
      if (may.getAsBoolean()) {
        past.replace(stored, made);
        return true;
      }
    } finally {
      removal.unlock();
    }
    BackupRewriter.delete(made);
    return false;
  }
}
