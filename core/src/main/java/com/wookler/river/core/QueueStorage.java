package com.wookler.river.core;

import static com.wookler.river.core.Stage.STORAGE;

import com.wookler.river.ack.journal.AckScan;
import com.wookler.river.ack.journal.LedgerFiles;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.removed.Removals;
import com.wookler.river.common.utils.ClosingStack;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.log.LogExecutors;
import com.wookler.river.core.log.recovery.RecoveryInput;
import com.wookler.river.core.transfer.Endpoint;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a running queue keeps and finds its messages: directory, background threads, log, backups,
 * and what looks messages up. Opened before everything else of the queue, and closed after it.
 */
final class QueueStorage {
  private static final Logger LOG = LoggerFactory.getLogger(QueueStorage.class);
  static final int FLUSHERS = 2;
  private static final int WORKERS = 2;

  final QueueConfig<?> config;
  final Listeners listeners;
  final DataDirectory directory;
  final WorkerPool.Serial flusher;
  final WorkerPool.Serial worker;
  final QueueCounters counters;
  final @Nullable Backup backup;
  final BlockLog log;
  final Lookup lookup;
  final Removals removals;
  final @Nullable LatestByKey keys;
  final DamageReporter salvage;

  // of subscribers: read before the log is opened, which needs their end
  final Map<String, LedgerFiles> ledgerFiles = new HashMap<>();

  private final ClosingStack<Stage> closing;

  /**
   * Opens the storage; what was opened is left to the closing stack also if something fails. {@code
   * release} closes or deletes the directory.
   */
  QueueStorage(
      QueueConfig<?> config,
      ClosingStack<Stage> closing,
      Consumer<DataDirectory> release,
      Listeners listeners) {
    this.config = config;
    this.listeners = listeners;
    this.closing = closing;
    directory = openDirectory(release);
    flusher = line(STORAGE, "flusher");
    worker = line(STORAGE, "worker");
    counters = new QueueCounters(config.name(), config.time());
    closing.add(STORAGE, counters::close);
    backup = openBackup(); // which reads nothing yet
    log = openLog();
    lookup = new Lookup(config.name(), log, backup);
    closing.add(STORAGE, lookup::close);
    removals = openRemovals();
    keys = openKeys();
    salvage =
        new DamageReporter(
            log,
            directory.path(),
            config.logSettings(directory),
            counters.damaged(),
            damage -> notifyListeners(all -> all.damaged(damage)));
  }

  private DataDirectory openDirectory(Consumer<DataDirectory> release) {
    DataDirectory opened =
        DataDirectory.open(
            config.directory(), config.name(), config.get(QueueOptions.RELOAD), config.time());
    closing.add(STORAGE, () -> release.accept(opened));
    opened.removeDiscarded(config.get(QueueOptions.DISCARDED_RETENTION), config.time().wallTime());
    return opened;
  }

  /** Returns a serial executor, which is released with the parts of a stage. */
  WorkerPool.Serial line(Stage stage, String pool) {
    return lines(stage, pool).get();
  }

  /** Returns what makes serial executors on a pool until it is closed in this stage. */
  Supplier<WorkerPool.Serial> lines(Stage stage, String pool) {
    int size = pool.equals("flusher") ? FLUSHERS : WORKERS;
    WorkerPool threads = WorkerPool.acquire(pool, size, config.time());
    closing.add(stage, threads::release);
    return () -> threads.serial(config.name());
  }

  private @Nullable Backup openBackup() {
    Path base = config.find(QueueOptions.BACKUP_DIRECTORY);
    if (base == null) {
      return null;
    }
    Backup opened =
        new Backup(
            config.name(),
            directory.identity(),
            base.resolve(config.name()),
            config.get(QueueOptions.BACKUP_RETENTION),
            config.time(),
            () -> log.times()); // the log asks the backup first
    closing.add(STORAGE, opened::close);
    return opened;
  }

  private BlockLog openLog() {
    // apart from the queue's other work: archiving a block takes long, and so does creating one
    WorkerPool.Serial maker = line(STORAGE, "worker");
    WorkerPool.Serial toucher = line(STORAGE, "worker");
    LogExecutors lines = new LogExecutors(flusher, line(STORAGE, "flusher"), maker, toucher);
    long completed =
        AckScan.run(directory.subscribers(), directory.identity(), ledgerFiles::put).nextFree();
    Backup past = backup;
    RecoveryInput outside =
        new RecoveryInput(completed, at -> past == null ? at : past.endFrom(at));
    BlockLog opened = BlockLog.open(config.logSettings(directory), counters.log(), lines, outside);
    closing.add(STORAGE, opened::close);
    closing.add(STORAGE, maker::drain);
    closing.add(STORAGE, toucher::drain);
    return opened;
  }

  private Removals openRemovals() {
    LoggedRemovals own = new LoggedRemovals(directory, log, lookup);
    Removals opened = Removals.open(config.name(), directory.path(), directory.identity(), own);
    closing.add(STORAGE, opened::close);
    closing.add(STORAGE, flusher::drain);
    return opened;
  }

  private @Nullable LatestByKey openKeys() {
    if (!config.get(QueueOptions.KEY_INDEX)) {
      return null;
    }
    LatestByKey opened = // in a serial executor apart: a backlog takes long
        LatestByKey.open(config, directory, log, backup, lookup, line(STORAGE, "worker"));
    closing.add(STORAGE, opened::close);
    return opened;
  }

  Endpoint endpoint() {
    return new Endpoint(
        config.name(),
        directory.identity(),
        directory.base(),
        directory.path(),
        log,
        config.time(),
        () -> directory.status().delivers());
  }

  boolean passesDamage() {
    return config.get(QueueOptions.ON_DAMAGE) == OnDamage.SALVAGE;
  }

  /** Returns where a reader continues that finds no message here; the same if it must stop. */
  long passOver(long sequence) {
    long end = log.gaps().endOf(sequence);
    return end > sequence || !passesDamage() ? end : salvage.passOver(sequence);
  }

  /** Has listeners notified on the worker, unless the queue is closing. */
  void notifyListeners(Consumer<Listeners> call) {
    try {
      worker.execute(() -> call.accept(listeners));
    } catch (RejectedExecutionException e) {
      LOG.debug("Queue {} closes: no listener is notified", config.name());
    }
  }

  void leave(int block) {
    lookup.leave(block);
    if (keys != null) {
      keys.leave(block);
    }
  }

  long messages() {
    long first = log.firstSequence();
    return log.nextSequence() - first - log.gaps().messagesFrom(first);
  }
}
