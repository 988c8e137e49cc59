package com.wookler.river.core;

import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.ack.journal.AckScan;
import com.wookler.river.core.ack.journal.LedgerFiles;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.delay.DelayContext;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogLines;
import com.wookler.river.core.log.OutsideLog;
import com.wookler.river.core.log.Salvage;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetterStore;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.EhcacheRedeliveryCache;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.subscriber.Expiries;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import com.wookler.river.core.subscriber.SubscriberContext;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.ExpiryTransfers;
import com.wookler.river.core.transfer.Forwards;
import com.wookler.river.core.transfer.OpenQueue;
import com.wookler.river.core.transfer.OpenQueues;
import com.wookler.river.core.transfer.TransferTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
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
final class RunningQueue<M> implements OpenQueue {
  private static final Logger LOG = LoggerFactory.getLogger(RunningQueue.class);
  static final int FLUSHERS = 2;
  private static final int WORKERS = 2;
  private static final int EXPIRED_A_STEP = 1_000; // for one subscriber

  private final QueueConfig<M> config;

  /** What to do, last first, to take apart what has been put together. */
  private final Deque<Runnable> undo = new ArrayDeque<>();

  private final Map<String, LedgerFiles> ledgerFiles = new HashMap<>(); // read before the log

  private final DataDirectory directory;
  private final WorkerPool.Serial flusher;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final SubscriberRegistry<M> subscribers;
  private final Lookup lookup;
  private final @Nullable LatestByKey keys;
  private final Salvage salvage;
  private final LogPublisher<M> publisher;
  private final Delays delays;
  private final TransferTarget transferTarget;
  private final Forwards forwards;
  private final Forces forces;
  private final BlockDrain drain;
  private final Reconfiguration reconfiguration;
  private final OpenQueues.Slot slot = new OpenQueues.Slot(this); // told to nobody until it runs
  private boolean delete; // guarded by the lifecycle lock of QueueLifecycle
  private List<String> known = List.of(); // subscribers when it was closed; as above

  RunningQueue(QueueConfig<M> config, Listeners listeners) {
    this(config, listeners, true);
  }

  private RunningQueue(QueueConfig<M> config, Listeners listeners, boolean buries) {
    this.config = config;
    long started = config.time().nanoTime();
    try {
      directory = openDirectory();
      flusher = line("flusher", FLUSHERS);
      WorkerPool.Serial worker = line("worker", WORKERS);
      QueueCounters counters = new QueueCounters(config.name(), config.time());
      undo.push(counters::close);
      backup = openBackup(); // which reads nothing yet
      log = openLog(counters);
      undo.push(slot::end);
      lookup = new Lookup(config.name(), log, backup);
      undo.push(lookup::close);
      keys = openKeys();
      salvage =
          new Salvage(
              log,
              directory.path(),
              config.logSettings(directory),
              counters.damaged(),
              damage -> worker.execute(() -> listeners.damaged(damage)));
      AdmissionControl intake = new AdmissionControl(config, log, this::needed);
      Endpoint own = endpoint();
      SubscriberContext<M> context =
          context(new ExpiryTransfers(own, () -> config.find(QueueOptions.EXPIRY_QUEUE)));
      transferTarget = new TransferTarget(own, new TransferParts(directory, lookup, intake));
      forwards = openForwards(own, context.expiries());
      subscribers =
          openSubscribers(context, counters, buries ? deadLetters(worker, listeners) : this::none);
      Deduplicator deduplicator = openDeduplicator();
      delays = openDelays(counters);
      forces = new Forces(log, subscribers, deduplicator, delays, transferTarget);
      undo.push(flusher::drain);
      undo.push(this::forceLast);
      drain =
          new BlockDrain(
              context,
              subscribers,
              config,
              BlockDrain.Archive.of(config, backup),
              new BlockDrain.Neighbours(flusher, forces, delays, this::leave, salvage, listeners));
      reconfiguration = new Reconfiguration(config, intake, backup, subscribers);
      undo.push(worker::drain);
      startHousekeeping(intake, new Housekeeper.Pools(flusher, worker, listeners));
      publisher = new LogPublisher<>(config, log, intake, deduplicator, delays, counters.addTime());
      delays.start();
      undo.push(log::stop);
      OpenQueues.add(directory.path(), slot);
      undo.push(() -> OpenQueues.remove(directory.path()));
      undo.push(forwards::stop);
      forwards.start();
      undo.push(counters.show(this::stats)::close);
      startAttachments();
    } catch (Throwable e) {
      Throwable more = takeApart();
      if (more != null) {
        e.addSuppressed(more);
      }
      throw e;
    }
    LOG.info(
        "Queue {} runs: {}: messages {}, sequences {} to {}, blocks {}, subscribers {} ({} open); {};"
            + " {} ms",
        config.name(),
        directory.path(),
        messages(),
        log.firstSequence(),
        log.nextSequence(),
        log.blocks(),
        subscribers.names().size(),
        subscribers.open().size(),
        log.repaired(),
        TimeUnit.NANOSECONDS.toMillis(config.time().nanoTime() - started));
  }

  /** Last: they may publish into this queue, and are closed while everything else is there. */
  private void startAttachments() {
    Attachments attachments = new Attachments(config.name());
    undo.push(attachments::close);
    attachments.start(config.attachments(), subscribers::open);
  }

  private DataDirectory openDirectory() {
    DataDirectory opened =
        DataDirectory.open(
            config.directory(), config.name(), config.get(QueueOptions.RELOAD), config.time());
    undo.push(() -> giveUp(opened));
    opened.removeDiscarded(config.get(QueueOptions.DISCARDED_RETENTION), config.time().wallTime());
    return opened;
  }

  private WorkerPool.Serial line(String name, int threads) {
    WorkerPool pool = WorkerPool.acquire(name, threads);
    undo.push(pool::release);
    return pool.serial(config.name());
  }

  private BlockLog openLog(QueueCounters counters) {
    // apart from the queue's other work: archiving a block takes long, and so does making one
    WorkerPool.Serial maker = line("worker", WORKERS);
    WorkerPool.Serial toucher = line("worker", WORKERS);
    LogLines lines = new LogLines(flusher, line("flusher", FLUSHERS), maker, toucher);
    long completed =
        AckScan.run(directory.subscribers(), directory.identity(), ledgerFiles::put).nextFree();
    Backup past = backup;
    OutsideLog outside = new OutsideLog(completed, at -> past == null ? at : past.endFrom(at));
    BlockLog opened = BlockLog.open(config.logSettings(directory), counters.log(), lines, outside);
    undo.push(opened::close);
    undo.push(maker::drain);
    undo.push(toucher::drain);
    return opened;
  }

  private SubscriberContext<M> context(ExpiredMessages expired) {
    EhcacheRedeliveryCache cache = openCache(config.find(QueueOptions.EHCACHE));
    undo.push(cache::close);
    return new SubscriberContext<>(
        config.name(),
        directory.identity(),
        log,
        backup,
        new ReentrantLock(),
        config.converter(),
        config.time(),
        cache,
        config.get(QueueOptions.ON_DAMAGE) == OnDamage.SALVAGE ? salvage : null,
        line("flusher", FLUSHERS), // apart: an acknowledgement waits for no snapshot or deletion
        new Expiries(config.maxAgeMicros(), EXPIRED_A_STEP, expired));
  }

  /** Returns a queue of dead letters: its subscribers have none. */
  static RunningQueue<byte[]> ofDeadLetters(QueueConfig<byte[]> config) {
    return new RunningQueue<>(config, new Listeners(), false);
  }

  private BiFunction<String, Path, DeadLetterStore<M>> deadLetters(
      WorkerPool.Serial worker, Listeners listeners) {
    // apart from archiving, which takes long; listeners are called one at a time, on the worker
    return new DeadLetterQueues<>(
            config, line("worker", WORKERS), worker, listeners, this::republish)
        ::of;
  }

  private DeadLetterStore<M> none(String subscriber, Path directory) {
    return DeadLetterStore.none(config.name());
  }

  private boolean republish(List<StoredMessage> messages) {
    return publisher.republish(messages);
  }

  private SubscriberRegistry<M> openSubscribers(
      SubscriberContext<M> context,
      QueueCounters counters,
      BiFunction<String, Path, DeadLetterStore<M>> deadLetters) {
    SubscriberStore store =
        new SubscriberStore(directory.subscribers(), ledgerFiles, context, flusher);
    SubscriberRegistry<M> opened =
        new SubscriberRegistry<>(
            store, context, counters, deadLetters, forwards, config.subscribers());
    undo.push(opened::close);
    config.subscribers().forEach(opened::open);
    return opened;
  }

  private Delays openDelays(QueueCounters counters) {
    QueueDelays parts =
        new QueueDelays(
            this::forceSoon,
            lookup,
            salvage,
            config.get(QueueOptions.ON_DAMAGE) == OnDamage.SALVAGE,
            directory,
            counters.delayed());
    Delays opened =
        Delays.open(
            new DelayContext(
                config.name(),
                directory.identity(),
                directory.delayed(),
                log,
                config.time(),
                parts),
            flusher);
    undo.push(opened::close);
    undo.push(flusher::drain);
    undo.push(
        () -> {
          if (opened.isDirty()) {
            forceSoon();
          }
        });
    undo.push(opened::stop);
    return opened;
  }

  private void forceSoon() {
    flusher.execute(forces::force);
  }

  /**
   * Returns the lowest sequence that counts in the limits: one that waits for its time needs room
   * too.
   */
  private long needed() {
    long needed = subscribers.needed();
    return needed - delays.waitingBelow(needed);
  }

  private @Nullable Deduplicator openDeduplicator() {
    if (config.get(QueueOptions.DEDUPLICATE).isZero()) {
      return null;
    }
    Deduplicator opened = new Deduplicator(config, directory, lookup);
    undo.push(flusher::drain);
    undo.push(() -> flusher.execute(forces::force));
    return opened;
  }

  private @Nullable LatestByKey openKeys() {
    if (!config.get(QueueOptions.KEY_INDEX)) {
      return null;
    }
    LatestByKey opened = // in a line apart: a backlog takes long
        LatestByKey.open(config, directory, log, backup, lookup, line("worker", WORKERS));
    undo.push(opened::close);
    return opened;
  }

  private void leave(int block) {
    transferTarget.want(); // before the block goes, which tells what came from other queues
    forwards.leave(block);
    lookup.leave(block);
    if (keys != null) {
      keys.leave(block);
    }
  }

  private Endpoint endpoint() {
    return new Endpoint(
        config.name(),
        directory.identity(),
        config.directory(),
        directory.path(),
        log,
        config.time());
  }

  private Forwards openForwards(Endpoint own, Expiries expiries) {
    boolean continues = config.get(QueueOptions.ON_DAMAGE) == OnDamage.SALVAGE;
    Forwards opened =
        new Forwards(
            own,
            new Forwards.Targets(
                config.get(QueueOptions.FORWARD), config.get(QueueOptions.FANOUT_ONLY)),
            expiries,
            sequence -> {
              long end = log.gaps().endOf(sequence);
              return end > sequence || !continues ? end : salvage.passOver(sequence);
            },
            () -> line("worker", WORKERS)); // apart: one queue that is full holds up no other
    undo.push(opened::close);
    return opened;
  }

  private void forceLast() {
    transferTarget.want();
    forceSoon();
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
    undo.push(opened::close);
    return opened;
  }

  private static EhcacheRedeliveryCache openCache(@Nullable Path file) {
    return file == null ? EhcacheRedeliveryCache.builtIn() : EhcacheRedeliveryCache.of(file);
  }

  private void startHousekeeping(AdmissionControl intake, Housekeeper.Pools pools) {
    SharedTaskManager tasks = SharedTaskManager.acquire();
    undo.push(tasks::close);
    Housekeeper housekeeper =
        new Housekeeper(
            config,
            log,
            subscribers,
            new Housekeeper.Work(forces, drain, backup, fullWatch(intake, pools)),
            pools);
    undo.push(() -> tasks.manager().remove(housekeeper));
    undo.push(housekeeper::stop);
    tasks.manager().add(housekeeper);
  }

  private FullWatch fullWatch(AdmissionControl intake, Housekeeper.Pools pools) {
    return new FullWatch(
        config,
        intake,
        this::discarded,
        why -> pools.worker().execute(() -> pools.listeners().full(why)));
  }

  @Override
  public String name() {
    return config.name();
  }

  LogPublisher<M> publisher() {
    return publisher;
  }

  Reconfiguration reconfiguration() {
    return reconfiguration;
  }

  SubscriberRegistry<M> subscribers() {
    return subscribers;
  }

  List<Delivery<M>> read(long from, int max) {
    List<Delivery<M>> found = new ArrayList<>();
    for (StoredMessage message : lookup.read(from, max)) {
      found.add(new ReadOnlyDelivery<>(message, config.converter(), 0));
    }
    return found;
  }

  Optional<Delivery<M>> latest(String key) {
    return LatestByKey.of(keys, config.name())
        .latest(key)
        .map(message -> new ReadOnlyDelivery<>(message, config.converter(), 0));
  }

  Forwards forwards() {
    return forwards;
  }

  @Override
  public TransferTarget target() {
    return transferTarget;
  }

  @Override
  public List<String> forwardsTo() {
    return forwards.queues();
  }

  Lookup lookup() {
    return lookup;
  }

  @Override
  public BlockLog log() {
    return log;
  }

  private long messages() {
    long first = log.firstSequence();
    return log.nextSequence() - first - log.gaps().messagesFrom(first);
  }

  private long discarded() {
    return subscribers.discarded() + drain.unseen();
  }

  QueueStats stats() {
    subscribers.discard(log.capacity().discardBelow(), false); // else housekeeping, a little later
    long first = log.firstSequence();
    long next = log.nextSequence();
    return new QueueStats(
        messages(),
        log.bytes(),
        log.blocks(),
        first,
        next,
        salvage.lost(),
        drain.archived(),
        backup == null ? 0 : backup.count(),
        discarded(),
        directory.path().toFile().getUsableSpace(),
        delays.waiting(),
        salvage.lostEver(),
        drain.backupFailures());
  }

  /** Forces the log and, after it, the ledgers. */
  void force() {
    try {
      log.force();
      CompletableFuture.runAsync(forces::force, flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + config.name() + " is closed", e);
    } catch (CompletionException e) {
      throw new QueueFailedException(
          "queue " + config.name() + ": its acknowledgements may not be on disk", e);
    }
  }

  /**
   * Takes everything apart; with {@code delete} the directory is removed at the end. Whatever
   * fails, the rest is taken apart all the same.
   *
   * @throws QueueFailedException what was published may not be on the device; not with {@code
   *     delete}
   * @throws RiverException something else failed; likewise any other exception or error
   */
  void close(boolean andDelete) {
    delete = andDelete;
    known = subscribers.names();
    Throwable failed = takeApart();
    if (!andDelete && log.failure().isPresent()) {
      QueueFailedException lost =
          new QueueFailedException(
              "queue " + config.name() + " has failed, its messages may not be on disk",
              log.failure().get());
      if (failed != null) {
        lost.addSuppressed(failed);
      }
      throw lost;
    }
    if (failed instanceof Error error) {
      throw error;
    }
    if (failed instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** Returns what failed first, the others suppressed in it; null if nothing did. */
  private @Nullable Throwable takeApart() {
    Throwable first = null;
    while (!undo.isEmpty()) {
      try {
        undo.pop().run();
      } catch (Throwable e) {
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }

  private void giveUp(DataDirectory given) {
    if (!delete) {
      given.close();
      return;
    }
    try {
      given.delete();
      QueueCounters.forget(config.name(), known);
    } catch (IOException e) {
      throw new RiverException("queue " + config.name() + ": cannot delete " + given.path(), e);
    }
  }
}
