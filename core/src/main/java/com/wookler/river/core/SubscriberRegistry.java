package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.SubscriberEntries.Entry;
import com.wookler.river.core.SubscriberEntries.Use;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.ContinuationOrigin;
import com.wookler.river.core.subscriber.DeadLetterStore;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.LostFilter;
import com.wookler.river.core.subscriber.StoredSubscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows every subscriber of a queue, also those that were not opened in this run: what they have
 * not completed stays.
 *
 * <p>Thread-safe. Creating, reopening and removing are guarded by this object's monitor, under the
 * context's removal lock, taken before it, so that no block is deleted while a new subscriber
 * begins in it.
 */
final class SubscriberRegistry<M> {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberRegistry.class);

  private final SubscriberStore store;
  private final SubscriberContext<M> context;
  private final QueueCounters counters;
  private final BiFunction<String, Path, DeadLetterStore<M>> deadLetters;
  private final QueueParts parts;
  private final QueueConfig<M> queue;

  private final SubscriberEntries<M> entries = new SubscriberEntries<>();
  private final AtomicLong discardedOfClosed = new AtomicLong();

  @GuardedBy("this")
  private QueueStatus status = QueueStatus.UP;

  @GuardedBy("this")
  private boolean closed;

  /** Reads which subscribers there are; their dead letters are made by name and directory. */
  SubscriberRegistry(
      SubscriberStore store,
      SubscriberContext<M> context,
      QueueCounters counters,
      BiFunction<String, Path, DeadLetterStore<M>> deadLetters,
      QueueParts parts,
      QueueConfig<M> queue) {
    this.queue = queue;
    this.parts = parts;
    this.deadLetters = deadLetters;
    this.store = store;
    this.context = context;
    this.counters = counters;
    try {
      for (StoredSubscriber known : store.known()) {
        SubscriberConfig config = known.config();
        queue.refuseSubscriber(config.name() + ", which has subscribed before,");
        entries.put(config, null, store.lowWatermark(known));
      }
    } catch (IOException e) {
      throw cannot("read its subscribers", e);
    }
  }

  private RiverException cannot(String doing, IOException cause) {
    return new RiverException("queue " + context.queue() + ": cannot " + doing, cause);
  }

  Optional<SubscriberConfig> config(String name) {
    return Optional.ofNullable(entries.get(name))
        .map(Entry::config)
        .filter(config -> config.name().equals(name));
  }

  /** Returns the settings of its subscribers, open or not. */
  Stream<SubscriberConfig> configs() {
    return entries.all().stream().map(SubscriberEntries.Entry::config);
  }

  /** Refuses expiry queues from which messages would come back. */
  void refuseCycle(List<String> expiryQueues) {
    parts.refuseCycle(expiryQueues);
  }

  SubscriberConfig completed(SubscriberConfig config) {
    return queue.completed(config);
  }

  List<String> names() {
    return entries.names();
  }

  UUID identity() {
    return context.identity();
  }

  /**
   * Returns the subscriber of this name: the open one, else with its settings, else as the queue's
   * settings say, or with defaults.
   */
  DurableSubscriber<M> open(String name) {
    Entry<M> known = entries.get(name);
    if (known != null && known.config().filter() instanceof LostFilter filter) {
      throw new ConfigurationException(
          "queue %s, subscriber %s: it had a filter, %s; open it with its settings"
              .formatted(context.queue(), name, filter.reason()));
    }
    return openCompleted(
        known == null || !known.config().name().equals(name) // but for case: refused like any other
            ? queue.completed(configured(name))
            : known.config());
  }

  private SubscriberConfig configured(String name) {
    for (SubscriberConfig config : queue.subscribers()) {
      if (config.name().equals(name)) {
        return config;
      }
    }
    return SubscriberConfig.builder(name).build();
  }

  /** Returns the subscriber with these settings, and fails if they do not fit those that it has. */
  DurableSubscriber<M> open(SubscriberConfig config) {
    return openCompleted(queue.completed(config));
  }

  /** Does the same with settings that have the defaults already. */
  DurableSubscriber<M> openCompleted(SubscriberConfig config) {
    Names.check("subscriber", config.name());
    queue.refuseSubscriber(config.name());
    QueueConfig.checkExpiryQueue(context.queue(), config);
    refuseCycle(Stream.ofNullable(config.expiryQueue()).toList());
    while (true) {
      awaitClosing(config.name());
      DurableSubscriber<M> opened = openUnlessClosing(config);
      if (opened != null) {
        counters.show(opened);
        return opened;
      }
    }
  }

  /**
   * Waits until the caller that is closing a subscriber has done so, without the locks: closing
   * waits for pools, whose tasks may wait for them.
   */
  private void awaitClosing(String name) {
    Entry<M> known = entries.get(name);
    if (known != null && known.open() != null && !known.open().isOpen()) {
      known.open().close();
    }
  }

  /** Returns the subscriber; null if another thread is closing it. */
  private @Nullable DurableSubscriber<M> openUnlessClosing(SubscriberConfig config) {
    context.removal().lock();
    try {
      synchronized (this) {
        ensureOpen();
        Entry<M> known = entries.get(config.name());
        if (known != null) {
          known.check(config, context.queue(), store.isGuessed(config.name()));
          if (known.open() != null) {
            return known.open().isOpen() ? known.open() : null;
          }
        }
        DurableSubscriber<M> opened =
            create(config, known == null || !known.config().equals(config));
        opened.become(status);
        entries.put(config, opened, 0);
        context.order().add(opened);
        return opened;
      }
    } finally {
      context.removal().unlock();
    }
  }

  /** Has all subscribers deliver, and accept acknowledgements, as the queue's status says. */
  void become(QueueStatus to) {
    synchronized (this) {
      status = to; // of those that are opened from now on
    }
    open().forEach(subscriber -> subscriber.become(to));
  }

  /** Gives a subscriber that exists settings that may change while it is open, and keeps them. */
  void reconfigure(SubscriberConfig config) {
    awaitClosing(config.name());
    synchronized (this) {
      ensureOpen();
      Entry<M> known = entries.get(config.name());
      if (known != null) {
        try {
          store.reconfigure(config);
        } catch (IOException e) {
          throw cannot("keep the settings of " + config.name(), e);
        }
        if (known.open() != null) {
          known.open().reconfigure(config);
        }
        entries.reconfigure(config);
      }
    }
  }

  @GuardedBy("this")
  private void ensureOpen() {
    if (closed) {
      throw new QueueClosedException("queue " + context.queue() + " is closed");
    }
  }

  private DurableSubscriber<M> create(SubscriberConfig config, boolean given) {
    try {
      Ledger ledger = store.open(config, given);
      DeadLetterStore<M> letters = deadLetters.apply(config.name(), store.directory(config.name()));
      try {
        return new DurableSubscriber<>(
            context,
            config,
            ledger,
            counters.subscriber(config.name()),
            letters,
            new ContinuationOrigin(store.directory(config.name()), context.identity()),
            this::closed);
      } catch (Throwable e) {
        FirstFailure.closeAfter(e, letters, ledger);
        throw e;
      }
    } catch (IOException e) {
      throw cannot("open subscriber " + config.name(), e);
    }
  }

  /** Forces and closes the ledger of a closed subscriber, and keeps its low watermark. */
  private void closed(DurableSubscriber<M> subscriber) {
    counters.remove(subscriber.counters());
    try {
      context.order().writeLedgerNow(subscriber.name(), subscriber::force);
    } finally {
      context.order().remove(subscriber);
      subscriber.end();
      discardedOfClosed.addAndGet(subscriber.discarded());
      try {
        subscriber.deadLetterStore().close();
      } finally {
        entries.closed(subscriber);
      }
    }
  }

  /** Closes a subscriber, deletes its files, and returns whether there was one. */
  boolean remove(String name) {
    boolean removed = removeEntry(name);
    if (removed) {
      QueueCounters.forgetDead(context.queue(), name); // without a lock: it calls listeners
    }
    return removed;
  }

  private boolean removeEntry(String name) {
    while (true) {
      Entry<M> known = entries.get(name);
      if (known != null && !known.config().name().equals(name)) {
        known = null; // another but for case
      }
      closeForGood(known); // before the locks are taken, see awaitClosing
      context.removal().lock();
      try {
        synchronized (this) {
          ensureOpen();
          Entry<M> now = entries.get(name);
          if (now == null || !now.config().name().equals(name)) {
            return false;
          }
          if (now.open() == null) { // otherwise another thread has opened it
            Path removed = store.remove(name);
            entries.remove(name);
            store.clear(removed);
            return true;
          }
        }
      } catch (IOException e) {
        throw cannot("remove subscriber " + name, e);
      } finally {
        context.removal().unlock();
      }
    }
  }

  private void closeForGood(@Nullable Entry<M> known) {
    try {
      if (known != null && known.open() != null) {
        known.open().close();
      }
    } catch (QueueFailedException e) {
      LOG.debug("Queue {}: what is removed need not be on the device", context.queue(), e);
    }
  }

  /** Copies what is passed to it, while no block leaves and no subscriber comes or goes. */
  interface Copying {
    /** Copies a subscriber with its dead letters; {@code open} is null where it is closed. */
    void subscriber(Path directory, @Nullable DurableSubscriber<?> open) throws IOException;

    void log() throws IOException;
  }

  /** Has all subscribers copied, and then the log. */
  void copy(Copying copying) throws IOException {
    context.removal().lock();
    try {
      synchronized (this) {
        ensureOpen();
        for (Entry<M> entry : entries.all()) {
          copying.subscriber(store.directory(entry.config().name()), entry.open());
        }
      }
      copying.log();
    } finally {
      context.removal().unlock();
    }
  }

  List<DurableSubscriber<M>> open() {
    return entries.open();
  }

  /** Returns the use of each subscriber until now. */
  List<Use> uses() {
    return entries.all().stream().map(Entry::use).toList();
  }

  /** Returns whether there are dead letters, or perhaps some of a subscriber that is closed. */
  boolean hasLetters() {
    for (Entry<M> entry : entries.all()) {
      if (entry.open() != null
          ? entry.open().deadLetters().size() > 0
          : store.hasLetters(entry.config().name())) {
        return true;
      }
    }
    return false;
  }

  /** Removes a subscriber unless it was used meanwhile; returns whether it did. */
  boolean removeUnused(Use last) {
    Entry<M> now = entries.get(last.name());
    return now != null && last.isSame(now.use()) && remove(last.name());
  }

  /** Returns the lowest sequence that any subscriber still needs; empty without subscribers. */
  OptionalLong lowWatermark() {
    OptionalLong lowest = parts.lower(entries.lowWatermark());
    return lowest.isEmpty()
        ? lowest
        : OptionalLong.of(Math.max(lowest.getAsLong(), context.log().capacity().discardBelow()));
  }

  /** Returns the lowest sequence that is still needed: without subscribers, the log's first. */
  long needed() {
    long first = context.log().firstSequence(); // one that reads from a backup fills no log
    return Math.max(first, lowWatermark().orElse(first));
  }

  /** Removes backups whose time is over, but what a subscriber has to read; no position moves. */
  void expire(Backup backup) throws IOException {
    context.removal().lock();
    try {
      backup.expire(entries.lowWatermark());
    } finally {
      context.removal().unlock();
    }
  }

  /** Discards what is below a sequence for all; for closed ones only if its block goes for good. */
  void discard(long end, boolean forGood) {
    for (DurableSubscriber<M> subscriber : open()) {
      subscriber.discard(end);
    }
    if (forGood) {
      parts.discard(end);
      discardClosed(end);
    }
  }

  private synchronized void discardClosed(long end) {
    for (Entry<M> entry : entries.all()) {
      SubscriberConfig config = entry.config();
      if (entry.open() == null && entry.closedLowWatermark() < end) {
        try (Ledger ledger = store.open(config, false)) {
          discardedOfClosed.addAndGet(ledger.discard(end));
          context.order().writeLedgerNow(config.name(), ledger::force);
          entries.put(config, null, ledger.lowWatermark());
        } catch (IOException e) {
          throw cannot("move subscriber " + config.name(), e);
        }
      }
    }
  }

  /** Returns whether all have completed everything below this sequence, so that it can go. */
  boolean havePassed(long sequence) {
    return parts.havePassed(sequence)
        && entries.all().stream().allMatch(entry -> entry.lowWatermark() >= sequence);
  }

  /** Returns whether the parts of extensions need nothing below this sequence. */
  boolean partsHavePassed(long sequence) {
    return parts.havePassed(sequence);
  }

  /** Returns whether a message may be delivered or forwarded to any that has not completed it. */
  boolean isPending(long sequence) {
    return entries.all().isEmpty()
        || !parts.havePassed(sequence + 1)
        || entries.all().stream().anyMatch(entry -> entry.isPending(sequence));
  }

  /** Returns the open subscribers that have not completed a message. */
  List<DurableSubscriber<?>> pendingAt(long sequence) {
    List<DurableSubscriber<?>> pending = new ArrayList<>(open());
    pending.removeIf(each -> !each.isPending(sequence));
    return pending;
  }

  /**
   * Stops delivering what was removed; returns whether a consumer has one of these messages, or has
   * had one since it was pending.
   */
  boolean withdraw(SequenceRanges removed, Function<DurableSubscriber<?>, SequenceRanges> pending) {
    boolean had = false;
    for (DurableSubscriber<M> subscriber : open()) {
      had |= subscriber.withdraw(removed, pending.apply(subscriber));
    }
    return had;
  }

  long discarded() {
    return discardedOfClosed.get()
        + parts.discarded()
        + open().stream().mapToLong(DurableSubscriber::discarded).sum();
  }

  void runMaintenance() {
    for (DurableSubscriber<M> subscriber : open()) {
      subscriber.runMaintenance();
    }
  }

  /** Returns for how long {@link #runMaintenance} has nothing to do if nothing changes. */
  long nanosUntilDue() {
    return open().stream().mapToLong(DurableSubscriber::nanosUntilDue).min().orElse(Long.MAX_VALUE);
  }

  /** Closes all; wakes and refuses those that wait. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    try {
      closeAll(); // without the removal lock, see awaitClosing
    } finally {
      awaitSeek();
    }
  }

  /** A seek reads the log under the removal lock, and the log is closed next. */
  private void awaitSeek() {
    context.removal().lock();
    try {
      LOG.debug("Queue {}: its subscribers are closed, and none of them moves", context.queue());
    } finally {
      context.removal().unlock();
    }
  }

  /** No reader may stay open because another one's ledger would not close. */
  private void closeAll() {
    FirstFailure failure = new FirstFailure();
    open().forEach(subscriber -> failure.run(subscriber::close));
    Throwable cause = failure.get();
    if (cause != null) {
      throw new RiverException("queue " + context.queue() + ": closing its subscribers", cause);
    }
  }
}
