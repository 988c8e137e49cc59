package com.wookler.river.core;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.EhcacheRedeliveryCache;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a queue while it runs: the assembly point of the module.
 *
 * <p>Opening puts the parts together from the directory upwards, and if one fails takes those
 * before it apart again. Closing goes the other way: publishers, housekeeping, subscribers,
 * look-ups, log, directory. No part is closed while a call into it can be under way, because a
 * mapping that vanishes under a reader ends the JVM.
 */
final class RunningQueue<M> {
  private static final Logger LOG = LoggerFactory.getLogger(RunningQueue.class);
  private static final int FLUSHERS = 2;
  private static final int WORKERS = 2;

  private final QueueConfig<M> config;

  /** What to do, last first, to take apart what has been put together. */
  private final Deque<Runnable> undo = new ArrayDeque<>();

  private final DataDirectory directory;
  private final WorkerPool.Serial flusher;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final SubscriberRegistry<M> subscribers;
  private final Lookup lookup;
  private final LogPublisher<M> publisher;
  private final BlockDrain drain;
  private boolean delete; // guarded by the lifecycle lock of MessageQueue

  RunningQueue(QueueConfig<M> config, Listeners listeners) {
    this.config = config;
    try {
      // 1. the directory is ours
      directory =
          DataDirectory.open(config.directory(), config.name(), config.reload(), config.time());
      undo.push(this::giveUpDirectory);
      directory.removeDiscarded(config.discardedRetention(), config.time().wallTime());
      // 2. threads
      WorkerPool flushers = WorkerPool.acquire("flusher", FLUSHERS);
      undo.push(flushers::release);
      WorkerPool workers = WorkerPool.acquire("worker", WORKERS);
      undo.push(workers::release);
      flusher = flushers.serial(config.name());
      WorkerPool.Serial worker = workers.serial(config.name());
      // 3. the log, recovered
      QueueCounters counters = new QueueCounters(config.name());
      undo.push(counters::close);
      log = BlockLog.open(logSettings(), counters.log(), flusher, worker);
      undo.push(log::close);
      undo.push(worker::drain);
      // 4. what reads it
      backup = openBackup();
      lookup = new Lookup(config.name(), log, backup);
      undo.push(lookup::close);
      EhcacheRedeliveryCache cache = openCache(config.ehcache());
      undo.push(cache::close);
      ReentrantLock removal = new ReentrantLock();
      SubscriberContext<M> context =
          new SubscriberContext<>(
              config.name(),
              directory.identity(),
              log,
              removal,
              config.converter(),
              config.time(),
              cache);
      subscribers =
          new SubscriberRegistry<>(
              new SubscriberStore(directory.subscribers(), config.name(), log, flusher),
              context,
              counters,
              flusher);
      undo.push(subscribers::close);
      config.subscribers().forEach(subscribers::open);
      // 5. what takes drained blocks out
      drain =
          new BlockDrain(
              new BlockDrain.Parts(
                  config.name(),
                  log,
                  subscribers,
                  backup,
                  removal,
                  flusher,
                  config.time(),
                  lookup::leave,
                  listeners));
      startHousekeeping(worker, listeners);
      // 6. what writes it
      publisher = new LogPublisher<>(config, log, counters.addTime());
      undo.push(log::stop);
    } catch (Throwable e) {
      takeApart();
      throw e;
    }
    LOG.info(
        "Queue {} runs in {}: {} messages, sequences {} to {}, {} blocks, {} subscribers",
        config.name(),
        directory.path(),
        log.nextSequence() - log.firstSequence(),
        log.firstSequence(),
        log.nextSequence(),
        log.blocks(),
        subscribers.open().size());
  }

  private LogSettings logSettings() {
    return new LogSettings(
        config.name(),
        directory.identity(),
        directory.log(),
        config.blockBytes(),
        config.recycle(),
        config.time());
  }

  private @Nullable Backup openBackup() {
    QueueConfig.BackupConfig settings = config.backup();
    if (settings == null) {
      return null;
    }
    Backup opened =
        new Backup(
            config.name(),
            directory.identity(),
            settings.directory().resolve(config.name()),
            settings.retention(),
            config.time());
    undo.push(opened::close);
    return opened;
  }

  private static EhcacheRedeliveryCache openCache(@Nullable Path file) {
    return file == null ? EhcacheRedeliveryCache.builtIn() : EhcacheRedeliveryCache.of(file);
  }

  private void startHousekeeping(WorkerPool.Serial worker, Listeners listeners) {
    TaskShare tasks = TaskShare.acquire();
    undo.push(tasks::close);
    Housekeeper housekeeper =
        new Housekeeper(
            config,
            log,
            subscribers,
            drain,
            backup,
            new Housekeeper.Pools(flusher, worker, listeners));
    undo.push(worker::drain);
    undo.push(() -> tasks.manager().remove(housekeeper));
    undo.push(housekeeper::stop);
    tasks.manager().add(housekeeper);
  }

  LogPublisher<M> publisher() {
    return publisher;
  }

  SubscriberRegistry<M> subscribers() {
    return subscribers;
  }

  Lookup lookup() {
    return lookup;
  }

  BlockLog log() {
    return log;
  }

  MessageConverter<M> converter() {
    return config.converter();
  }

  QueueStats stats() {
    long first = log.firstSequence();
    long next = log.nextSequence();
    return new QueueStats(
        next - first,
        log.bytes(),
        log.blocks(),
        first,
        next,
        drain.archived(),
        backup == null ? 0 : backup.count(),
        directory.path().toFile().getUsableSpace());
  }

  /** Forces the log and, after it, the ledgers. */
  void force() {
    try {
      log.force();
      CompletableFuture.runAsync(subscribers::force, flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + config.name() + " is closed", e);
    } catch (CompletionException e) {
      throw new QueueFailedException(
          "queue " + config.name() + ": its acknowledgements may not be on disk", e);
    }
  }

  /** Takes everything apart; with {@code delete} the directory is removed at the end. */
  void close(boolean andDelete) {
    delete = andDelete;
    takeApart();
  }

  private void takeApart() {
    while (!undo.isEmpty()) {
      try {
        undo.pop().run();
      } catch (RuntimeException e) {
        LOG.error("Queue {}: an error while closing; closing goes on", config.name(), e);
      }
    }
  }

  private void giveUpDirectory() {
    if (!delete) {
      directory.close();
      return;
    }
    try {
      directory.delete();
    } catch (IOException e) {
      throw new RiverException("queue " + config.name() + ": cannot delete " + directory.path(), e);
    }
  }
}
