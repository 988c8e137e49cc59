package com.wookler.river.core;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.journal.Health;
import com.wookler.river.ack.journal.LedgerFiles;
import com.wookler.river.ack.journal.LedgerLook;
import com.wookler.river.ack.journal.Ledgers;
import com.wookler.river.ack.journal.Owner;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.subscriber.ForceOrder;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Positions;
import com.wookler.river.core.subscriber.StoredSubscriber;
import com.wookler.river.core.subscriber.StoredSubscriber.LedgerState;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscribers of a queue on disk: {@code subscribers/<name>/}, with settings and a ledger each.
 * Not thread-safe: guarded by the registry.
 *
 * <p>The settings are written before the ledger is made, and once more when it is; they go, with
 * the whole directory, by a rename; so a directory with a ledger but without settings is damage,
 * and is kept. Lost state means redelivery, reported, never a failed start.
 */
final class SubscriberStore {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberStore.class);

  private static final String REMOVED = "~removed"; // of directories that are being removed

  private final Path directory;
  private final String queue;
  private final UUID identity;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final ForceOrder order;
  private final Map<String, StoredSubscriber> stored = new HashMap<>(); // the settings files
  private final Map<String, LedgerFiles> files; // of those whose ledger was not opened yet

  /** Stores the subscribers in a directory, whose files were read before the log was opened. */
  SubscriberStore(Path directory, Map<String, LedgerFiles> files, SubscriberContext<?> context) {
    this.directory = directory;
    this.files = files;
    this.identity = context.identity();
    this.queue = context.queue();
    this.log = context.log();
    this.backup = context.backup();
    this.order = context.order();
  }

  /** Returns all that have subscribed; clears away what a crash left half removed. */
  Collection<StoredSubscriber> known() throws IOException {
    DurableFiles.createDirectories(directory);
    for (Map.Entry<String, LedgerFiles> read : Map.copyOf(files).entrySet()) {
      String name = read.getKey();
      if (name.endsWith(REMOVED) || isEmpty(read.getValue().names())) {
        files.remove(name);
        clear(directory.resolve(name));
      } else {
        stored.put(name, stored(directory.resolve(name)));
      }
    }
    return stored.values();
  }

  /** Returns whether a subscriber ever had dead letters. */
  boolean hasLetters(String name) {
    return Files.exists(directory(name).resolve(queue + "." + name + Names.DEAD));
  }

  Path directory(String name) {
    return directory.resolve(name);
  }

  private static boolean isEmpty(List<String> names) {
    return names.stream().allMatch(name -> name.endsWith(DurableFiles.TEMPORARY));
  }

  private StoredSubscriber stored(Path subscriber) throws IOException {
    Path file = subscriber.resolve(StoredSubscriber.FILE);
    try {
      if (Files.exists(file)) {
        return StoredSubscriber.read(subscriber, identity);
      }
      throw new DamagedMessageException("damaged: " + file + " is missing");
    } catch (DamagedException e) {
      StoredSubscriber rebuilt = rebuilt(subscriber);
      LOG.warn(
          "Queue {}, subscriber {}: {}; going on with default settings, ack required = {}, order = {}",
          queue,
          rebuilt.config().name(),
          e.getMessage(),
          rebuilt.config().ackRequired(),
          rebuilt.config().order());
      if (Files.exists(file)) {
        DurableFiles.quarantine(file);
      }
      rebuilt.write(subscriber, identity);
      return rebuilt;
    }
  }

  /** Settings by what its ledger shows. */
  private StoredSubscriber rebuilt(Path subscriber) throws IOException {
    String name = String.valueOf(subscriber.getFileName());
    Owner owner = Owner.of(identity, name);
    LedgerFiles.Kind kind = LedgerFiles.list(subscriber, owner).kind();
    SubscriberConfig config =
        SubscriberConfig.builder(name)
            .ack(kind.ack())
            .order(kind.byKey() ? Order.KEY : Order.SEQUENCE)
            .build();
    LedgerState ledger = kind.known() ? LedgerState.MADE : LedgerState.GUESSED;
    return new StoredSubscriber(config, log.firstSequence(), ledger);
  }

  /**
   * Returns the lowest sequence that a subscriber has not completed. Its ledger is opened only if
   * its files need a repair or are before the log's beginning.
   */
  long lowWatermark(StoredSubscriber of) throws IOException {
    SubscriberConfig config = of.config();
    LedgerFiles read = files.get(config.name());
    LedgerLook look =
        LedgerLook.of(
            read == null ? LedgerFiles.list(directory(config.name()), owner(config)) : read,
            config.ackRequired(),
            of.origin(log.firstSequence()));
    if (look.damaged().isEmpty()
        && look.lowWatermark() >= log.firstSequence()
        && log.gaps().endOf(look.lowWatermark()) == look.lowWatermark()) {
      return look.lowWatermark();
    }
    try (Ledger ledger = open(config, false)) {
      return ledger.lowWatermark();
    }
  }

  /** Returns whether acknowledgement and order are guessed: its files were too damaged to say. */
  boolean isGuessed(String name) {
    StoredSubscriber known = stored.get(name);
    return known != null && known.ledger() == LedgerState.GUESSED;
  }

  /**
   * Opens a subscriber's ledger, making it at the start that the settings name if it is new; those
   * that are {@code given} anew are no guess.
   */
  Ledger open(SubscriberConfig config, boolean given) throws IOException {
    Path own = directory.resolve(config.name());
    StoredSubscriber known = stored.get(config.name());
    StoredSubscriber before =
        known == null ? new StoredSubscriber(config, resolve(config), LedgerState.NEW) : known;
    LedgerState state =
        given && before.ledger() == LedgerState.GUESSED ? LedgerState.MADE : before.ledger();
    try {
      write(new StoredSubscriber(config, before.start(), state), own);
      Ledger ledger = ledger(config, own, before.origin(log.firstSequence()));
      try {
        if (state == LedgerState.NEW) {
          write(new StoredSubscriber(config, before.start(), LedgerState.MADE), own);
        }
        reconcile(config, ledger);
        return ledger;
      } catch (Throwable e) {
        FirstFailure.closeAfter(e, ledger); // before its files go: they are mapped
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      if (known == null) {
        stored.remove(config.name());
        deleteQuietly(own);
      }
      throw e;
    }
  }

  /** Keeps other settings of a subscriber that is known. */
  void reconfigure(SubscriberConfig config) throws IOException {
    StoredSubscriber known = stored.get(config.name());
    if (known != null) {
      write(
          new StoredSubscriber(config, known.start(), known.ledger()),
          directory.resolve(config.name()));
    }
  }

  /** Writes settings, unless they are known to be on the device. */
  private void write(StoredSubscriber settings, Path own) throws IOException {
    if (!settings.equals(stored.get(settings.config().name()))) {
      settings.write(own, identity);
      stored.put(settings.config().name(), settings);
    }
  }

  private long resolve(SubscriberConfig config) {
    try (LogReader lookup = log.reader()) {
      return Positions.resolve(config.start(), log, backup, lookup);
    }
  }

  private Ledger ledger(SubscriberConfig config, Path own, InitialPosition origin)
      throws IOException {
    Owner owner = owner(config).under(this::health);
    LedgerFiles read = files.remove(config.name()); // from now on they change
    LedgerFiles found = read == null ? LedgerFiles.list(own, owner) : read;
    return config.ackRequired()
        ? Ledgers.withAck(
            found, owner, config.limits(), origin, write -> order.writeLedger(config.name(), write))
        : Ledgers.withoutAck(found, owner, origin);
  }

  private Owner owner(SubscriberConfig config) {
    return Owner.of(identity, config.name());
  }

  private Health health() {
    if (log.ownership().isLost()) {
      return Health.LOST;
    }
    return log.isFailed() ? Health.FAILED : Health.SOUND;
  }

  /**
   * Fits a ledger to a log that has lost files: below its first message there is nothing to
   * deliver. No ledger is after the log's end, which was opened above all that they know.
   */
  private void reconcile(SubscriberConfig config, Ledger ledger) {
    if (!ledger.recovery().damaged().isEmpty()) {
      LOG.warn(
          "Queue {}, subscriber {}: {}; messages from sequence {} on may be delivered again",
          queue,
          config.name(),
          ledger.recovery().damaged(),
          ledger.lowWatermark());
    }
    ledger.skip(log.gaps().endOf(ledger.position())); // which the log has reported
    long low = ledger.lowWatermark();
    if (low < log.firstSequence() && (backup == null || !backup.reaches(low))) {
      passMissing(config.name(), ledger);
    }
  }

  /**
   * Completes what is before the log, in no gap, and in no backup that is here. It is damage only
   * if it may not have left the log as blocks do: a snapshot has no backups.
   */
  private void passMissing(String subscriber, Ledger ledger) {
    long low = ledger.lowWatermark();
    long first = log.firstSequence();
    long missing = unfinished(ledger, low, first);
    for (long sequence = low; sequence < Math.min(first, ledger.position()); sequence++) {
      boolean unused = ledger.complete(sequence);
    }
    ledger.skip(first);
    if (missing > 0) {
      LOG.warn(
          "Queue {}, subscriber {}: {}it is at sequence {}, but the log begins at {}, and no backup"
              + " is here that has what is before; it passes over {} and continues at {}",
          queue,
          subscriber,
          log.isBeginningKnown() ? "" : "damaged: ",
          low,
          first,
          Amount.of(missing, "message"),
          ledger.position());
    }
  }

  /** Counts the messages in a range that are in no gap, which was reported, and not completed. */
  private long unfinished(Ledger ledger, long from, long end) {
    long sum = end - from - log.gaps().messagesFrom(from) + log.gaps().messagesFrom(end);
    int completed = ledger.count(EntryState.COMPLETED);
    for (long sequence = from; sequence < end && completed > 0; sequence++) {
      if (ledger.isCompleted(sequence)) {
        completed--;
        sum -= log.gaps().endOf(sequence) == sequence ? 1 : 0;
      }
    }
    return sum;
  }

  /** Removes a subscriber whose ledger is closed, and returns what is to be cleared. */
  Path remove(String name) throws IOException {
    Path going = directory.resolve(name + REMOVED);
    if (Files.exists(going)) {
      DataDirectory.deleteTree(going); // of an earlier one of this name, which could not be cleared
    }
    DurableFiles.rename(directory.resolve(name), going);
    files.remove(name);
    stored.remove(name);
    return going;
  }

  /** Deletes what is left of a removed subscriber; what stays goes at the next start. */
  void clear(Path removed) {
    try {
      DataDirectory.deleteTree(removed);
    } catch (IOException e) {
      LOG.warn("Queue {}: {} stays until the next start", queue, removed, e);
    }
  }

  private static void deleteQuietly(Path path) {
    try {
      DataDirectory.deleteTree(path);
    } catch (IOException e) {
      LOG.debug("Cannot remove {}", path, e);
    }
  }
}
