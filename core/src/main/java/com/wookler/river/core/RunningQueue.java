package com.wookler.river.core;

import static com.wookler.river.core.Stage.ACCEPTANCE;
import static com.wookler.river.core.Stage.DELIVERY;
import static com.wookler.river.core.Stage.MAINTENANCE;
import static com.wookler.river.core.Stage.SERVICE;

import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.ClosingStack;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.SubscriberEntries.Use;
import com.wookler.river.core.SubscriberExtension.Attachment;
import com.wookler.river.core.delay.DelayContext;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.QueueIdentity;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetterStore;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.Expiries;
import com.wookler.river.core.subscriber.ForceOrder;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import com.wookler.river.core.subscriber.RedeliveryCache;
import com.wookler.river.core.subscriber.SubscriberContext;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.TransferTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a queue while it runs: the assembly point of the module.
 *
 * <p>Opening puts the parts together in the stages of {@link Stage}, and if one fails closes those
 * before it again. Closing goes the other way. No part is closed while a call into it can be under
 * way, because a mapping that vanishes under a reader ends the JVM.
 */
final class RunningQueue<M> {
  private static final Logger LOG = LoggerFactory.getLogger(RunningQueue.class);
  private static final int EXPIRED_A_STEP = 1_000; // for one subscriber

  private final QueueConfig<M> config;
  private final ClosingStack<Stage> closing = new ClosingStack<>(Stage.class);
  private final QueueStorage storage;
  private final BlockLog log;
  private final SubscriberRegistry<M> subscribers;
  private final LogPublisher<M> publisher;
  private final Delays delays;
  private final TransferTarget transferTarget;
  private final QueueParts parts;
  private final ForceOrder order;
  private final BlockArchiver archiver;
  private final MessageRemoval removal;
  private final Compactor compactor;
  private final MessageEraser eraser;
  private final UnusedSubscribers unused;
  private final UnusedQueue unusedQueue;
  private final AdmissionControl intake;
  private final Reconfiguration reconfiguration;
  private boolean delete; // guarded by the lifecycle lock of QueueLifecycle
  // subscribers when it was closed; guarded by the lifecycle lock of QueueLifecycle
  private List<String> known = List.of();

  /**
   * Opens the queue.
   *
   * @param expire has it removed by another thread, which asks {@link #endsUnused}
   */
  RunningQueue(QueueConfig<M> config, Listeners listeners, boolean attaches, Runnable expire) {
    this(config, listeners, true, attaches, expire);
  }

  private RunningQueue(
      QueueConfig<M> config,
      Listeners listeners,
      boolean hasDeadLetters,
      boolean attaches,
      Runnable expire) {
    this.config = config;
    long started = config.time().nanoTime();
    try {
      storage = new QueueStorage(config, closing, this::release, listeners);
      log = storage.log;

      closing.enter(DELIVERY);
      intake = new AdmissionControl(config, log, this::needed);
      Endpoint own = storage.endpoint();
      transferTarget =
          new TransferTarget(own, new TransferParts(storage.directory, storage.lookup, intake));
      parts = openParts(own);
      // the committer apart: an acknowledgement waits for no snapshot
      order =
          new ForceOrder(
              config.name(), log, parts, storage.flusher, storage.line(DELIVERY, "flusher"));
      SubscriberContext<M> context = context();
      order.add(transferTarget);
      subscribers = openSubscribers(context, hasDeadLetters ? deadLetters() : this::none);

      closing.enter(ACCEPTANCE);
      Deduplicator deduplicator = openDeduplicator();
      delays = openDelays();
      removal = new MessageRemoval(storage, subscribers, context.removal(), delays);
      order.add(removal);
      publisher = new LogPublisher<>(config, storage, intake, deduplicator, delays);

      closing.enter(MAINTENANCE);
      closing.add(MAINTENANCE, storage.flusher::drain);
      closing.add(MAINTENANCE, this::forceLast);
      BlockRewriter files = new BlockRewriter(storage, context, subscribers, delays, this::leave);
      compactor = new Compactor(storage, subscribers, delays, files);
      eraser = new MessageEraser(storage, removal, files);
      archiver = new BlockArchiver(storage, context, subscribers, delays, this::leave, compactor);
      reconfiguration = new Reconfiguration(storage, intake, subscribers);
      closing.add(MAINTENANCE, storage.worker::drain);
      closing.add(MAINTENANCE, compactor::stop);
      unused = new UnusedSubscribers(storage, subscribers);
      removal.forget();
      unusedQueue = new UnusedQueue(storage, this::isEmpty, expire);
      startHousekeeping();

      closing.enter(SERVICE);
      startService();
      if (attaches) {
        attach();
      }
    } catch (Throwable e) {
      closing.close().addTo(e);
      throw e;
    }
    LOG.info(
        "Queue {} runs: {}: messages {}, sequences {} to {}, blocks {}, subscribers {} ({} open);"
            + " {}; {} ms",
        config.name(),
        storage.directory.path(),
        storage.messages(),
        log.firstSequence(),
        log.nextSequence(),
        log.blocks(),
        subscribers.names().size(),
        subscribers.open().size(),
        log.repaired(),
        TimeUnit.NANOSECONDS.toMillis(config.time().nanoTime() - started));
  }

  private void startService() {
    delays.start();
    closing.add(SERVICE, log::stop);
    Path directory = storage.directory.base().resolve(config.name());
    Queues.add(directory, this);
    closing.add(SERVICE, () -> Queues.remove(directory));
    parts.start(stop -> closing.add(SERVICE, stop));
    closing.add(SERVICE, storage.counters.show(this::stats)::close);
  }

  /**
   * Starts what works for subscribers, once. Last: it may publish into this queue, and is closed
   * while everything else is open.
   */
  void attach() {
    attach(config.attachments());
  }

  void attach(Map<String, Attachment> attachments) {
    attachments.forEach(this::attach);
  }

  private void attach(String subscriber, Attachment attachment) {
    AutoCloseable started = attachment.attach(subscribers.open(subscriber));
    closing.add(
        SERVICE,
        () -> {
          try {
            started.close();
          } catch (Exception e) {
            LOG.error("Queue {}: what was started with {} cannot close", name(), subscriber, e);
          }
        });
  }

  private SubscriberContext<M> context() {
    Path file = config.find(QueueOptions.EHCACHE);
    RedeliveryCache cache = file == null ? RedeliveryCache.builtIn() : RedeliveryCache.of(file);
    closing.add(DELIVERY, cache::close);
    return new SubscriberContext<>(
        config.name(),
        storage.directory.identity(),
        log,
        storage.backup,
        new ReentrantLock(),
        config.converter(),
        config.time(),
        cache,
        storage.passesDamage() ? storage.salvage : null,
        order,
        new Expiries(config.maxAgeMicros(), EXPIRED_A_STEP, parts));
  }

  static RunningQueue<byte[]> ofDeadLetters(QueueConfig<byte[]> config) {
    return new RunningQueue<>(config, new Listeners(), false, false, () -> {});
  }

  private BiFunction<String, Path, DeadLetterStore<M>> deadLetters() {
    // apart from archiving, which takes long; listeners are called one at a time, on the worker
    WorkerPool.Serial line = storage.line(DELIVERY, "worker");
    return (subscriber, directory) ->
        new DeadLetterQueue<>(
            config,
            storage,
            line,
            this::republish,
            (letters, target) -> parts.transfer(subscriber, letters, target),
            subscriber,
            directory);
  }

  private DeadLetterStore<M> none(String subscriber, Path directory) {
    return DeadLetterStore.none(config.name());
  }

  private boolean republish(List<StoredMessage> messages) {
    return publisher.republish(messages);
  }

  private SubscriberRegistry<M> openSubscribers(
      SubscriberContext<M> context, BiFunction<String, Path, DeadLetterStore<M>> deadLetters) {
    SubscriberStore store =
        new SubscriberStore(storage.directory.subscribers(), storage.ledgerFiles, context);
    SubscriberRegistry<M> opened =
        new SubscriberRegistry<>(store, context, storage.counters, deadLetters, parts, config);
    closing.add(DELIVERY, opened::close);
    config.subscribers().forEach(opened::open);
    return opened;
  }

  private Delays openDelays() {
    QueueDelays parts = new QueueDelays(order::forceSoon, storage);
    Delays opened =
        Delays.open(
            new DelayContext(
                config.name(),
                storage.directory.identity(),
                storage.directory.delayed(),
                log,
                config.time(),
                parts),
            storage.flusher);
    order.add(opened);
    closing.add(ACCEPTANCE, opened::close);
    closing.add(ACCEPTANCE, storage.flusher::drain);
    closing.add(
        ACCEPTANCE,
        () -> {
          if (opened.isDirty()) {
            order.forceSoon();
          }
        });
    closing.add(ACCEPTANCE, opened::stop);
    return opened;
  }

  /**
   * Returns from where on the limits count: what waits for its time counts too, and what was
   * removed does not.
   */
  private long needed() {
    long needed = subscribers.needed();
    long removed = log.removed().count(needed, log.nextSequence());
    return needed + removed - delays.waitingBelow(needed);
  }

  private @Nullable Deduplicator openDeduplicator() {
    if (config.get(QueueOptions.DEDUPLICATE).isZero()) {
      return null;
    }
    Deduplicator opened = new Deduplicator(storage);
    order.add(opened);
    closing.add(ACCEPTANCE, storage.flusher::drain);
    closing.add(ACCEPTANCE, order::forceSoon);
    return opened;
  }

  private void leave(int block) {
    transferTarget.want(); // before the block is deleted, which has the origins of its messages
    parts.leave(block);
    storage.leave(block);
    removal.forget();
  }

  private QueueParts openParts(Endpoint own) {
    QueueExtension.Context queue =
        new QueueExtension.Context(
            own,
            transferTarget,
            config::settings,
            () -> QueueConfig.expiryQueues(config.settings(), subscribers.configs()),
            config.given(),
            this::lettersOf,
            storage::passOver,
            storage.lines(DELIVERY, "worker"));
    return new QueueParts(queue, Extensions.ofQueues(), close -> closing.add(DELIVERY, close));
  }

  private @Nullable DeadLetters<?> lettersOf(String subscriber) {
    return subscribers.open().stream()
        .filter(each -> each.name().equals(subscriber))
        .findFirst()
        .map(DurableSubscriber::deadLetters)
        .orElse(null);
  }

  private void forceLast() {
    transferTarget.want();
    order.forceSoon();
  }

  private void startHousekeeping() {
    SharedTaskManager tasks = SharedTaskManager.acquire(config.time());
    closing.add(MAINTENANCE, tasks::close);
    FullWatch fullWatch =
        new FullWatch(
            config, intake, this::discarded, why -> storage.notifyListeners(all -> all.full(why)));
    Housekeeper housekeeper =
        new Housekeeper(
            storage, subscribers, order, archiver, compactor, fullWatch, this::lookAtUse);
    closing.add(MAINTENANCE, () -> tasks.manager().remove(housekeeper));
    closing.add(MAINTENANCE, housekeeper::stop);
    tasks.manager().add(housekeeper);
  }

  String name() {
    return config.name();
  }

  MessageRemoval removal() {
    return removal;
  }

  CancelResult cancelById(String id) {
    return removal.cancel(publisher.known(id));
  }

  ReplaceResult replace(String id, Message<M> message) {
    return publisher.replace(removal, publisher.known(id), message.withId(id));
  }

  MessageConverter<M> converter() {
    return config.converter();
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
    for (StoredMessage message : removal.read(from, max)) {
      found.add(new ReadOnlyDelivery<>(config.name(), message, config.converter(), 0));
    }
    return found;
  }

  Optional<Delivery<M>> latest(String key) {
    return LatestByKey.of(storage.keys, config.name())
        .latest(key)
        .filter(this::isThere)
        .map(message -> new ReadOnlyDelivery<>(config.name(), message, config.converter(), 0));
  }

  /** Returns whether the last message of a key is one: it is not removed, and no delete marker. */
  private boolean isThere(StoredMessage last) {
    return !removal.isRemoved(last)
        && (last.data().length > 0 || !config.get(QueueOptions.COMPACT));
  }

  List<StoredMessage> read(String key, long from, int max) {
    LatestByKey keys = LatestByKey.of(storage.keys, config.name());
    return keys.read(key, from, max, message -> !removal.isRemoved(message));
  }

  PublishResult putAllIf(Expected expected, List<Message<M>> batch, Durability level) {
    return publisher.putAllIf(
        name -> expected.condition(name, storage.keys, this::isThere), batch, level);
  }

  /** Makes a copy on the worker, which nothing interrupts. */
  QueueSnapshot snapshot(Path target) {
    try {
      return CompletableFuture.supplyAsync(() -> snapshotTo(target), storage.worker).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + config.name() + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** See {@link MessageQueue#canLinkTo}. */
  boolean canLinkTo(Path directory) {
    try {
      return DurableFiles.canLink(storage.directory.path().resolve(QueueIdentity.FILE), directory);
    } catch (IOException e) {
      throw new RiverException(
          "queue %s: cannot make a snapshot in %s: %s".formatted(config.name(), directory, e), e);
    }
  }

  /** Makes a copy on this thread, which may wait for the flusher. */
  QueueSnapshot snapshotTo(Path target) {
    return new SnapshotWriter(storage, subscribers, target).write();
  }

  EraseResult erase(Collection<Long> sequences) {
    return eraser.erase(sequences);
  }

  long compact() {
    LatestByKey.of(storage.keys, config.name());
    force(); // what supersedes another is on the device
    return compactor.compact();
  }

  QueueParts parts() {
    return parts;
  }

  TransferTarget target() {
    return transferTarget;
  }

  Lookup lookup() {
    return storage.lookup;
  }

  BlockLog log() {
    return log;
  }

  UUID identity() {
    return storage.directory.identity();
  }

  private void lookAtUse(long now) {
    List<Use> uses = subscribers.uses();
    unused.look(now, uses);
    unusedQueue.look(now, uses);
  }

  /** Returns whether there is nothing in it for its subscribers, and for forwards. */
  private boolean isEmpty(List<Use> uses) {
    long next = log.nextSequence();
    boolean isRead =
        uses.isEmpty()
            ? config.get(QueueOptions.FANOUT_ONLY) || storage.messages() == 0
            : uses.stream().allMatch(use -> use.lowWatermark() >= next);
    return isRead && delays.waiting() == 0 && parts.havePassed(next);
  }

  /** Refuses publishes for good if the queue is still empty and not in use; returns whether. */
  boolean endsUnused() {
    return ends(() -> unusedQueue.isUnused(subscribers.uses()) && !subscribers.hasLetters());
  }

  /** Refuses publishes for good if the queue never had a message; returns whether. */
  boolean endsEmpty() {
    return ends(() -> log.nextSequence() == 0);
  }

  private boolean ends(BooleanSupplier isRight) {
    intake.end(true);
    boolean ends = false;
    try {
      ends = isRight.getAsBoolean();
    } finally {
      if (!ends) {
        intake.end(false);
      }
    }
    return ends;
  }

  Duration expiresAfter() {
    return config.get(QueueOptions.EXPIRES_AFTER);
  }

  List<BlockStats> blocks(int below, int max) {
    return BlockStats.newest(log, storage.backup, below, max);
  }

  Settings settings() {
    return config.settings();
  }

  private long discarded() {
    return subscribers.discarded() + archiver.unseen();
  }

  QueueStats stats() {
    subscribers.discard(log.capacity().discardBelow(), false); // else housekeeping, a little later
    long first = log.firstSequence();
    long next = log.nextSequence();
    return new QueueStats(
        storage.messages(),
        log.bytes(),
        log.blocks(),
        first,
        next,
        storage.salvage.lost(),
        archiver.archived(),
        storage.backup == null ? 0 : storage.backup.count(),
        discarded(),
        storage.directory.path().toFile().getUsableSpace(),
        delays.waiting(),
        storage.salvage.lostEver(),
        archiver.backupFailures(),
        unused.holding(),
        log.removed().count(storage.lookup.first(), next),
        reconfiguration.status(),
        unusedQueue.unusedSeconds(),
        compactor.removed());
  }

  /** Forces the log and, after it, the ledgers. */
  void force() {
    try {
      log.force();
      CompletableFuture.runAsync(order::force, storage.flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + config.name() + " is closed", e);
    } catch (CompletionException e) {
      throw new QueueFailedException(
          "queue " + config.name() + ": its acknowledgements may not be on disk", e);
    }
  }

  /**
   * Closes all parts, whatever fails; with {@code delete} the directory is deleted at the end.
   *
   * @throws QueueFailedException what was published may not be on the device; not with {@code
   *     delete}
   */
  void close(boolean andDelete) {
    delete = andDelete;
    known = subscribers.names();
    FirstFailure failure = closing.close();
    if (!andDelete && log.failure().isPresent()) {
      QueueFailedException lost =
          new QueueFailedException(
              "queue " + config.name() + " has failed, its messages may not be on disk",
              log.failure().get());
      failure.addTo(lost);
      throw lost;
    }
    failure.rethrow();
  }

  private void release(DataDirectory given) {
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
