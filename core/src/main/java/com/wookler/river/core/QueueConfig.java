package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All settings of one queue, checked; {@link QueueSettings} collects them from builder and XML.
 *
 * @param name of the queue
 * @param directory base under which the queue has its own
 * @param converter of the data
 * @param storage how messages are stored
 * @param limits how much it may hold
 * @param retention how long it keeps what nobody has finished
 * @param deduplicate window in which an id is stored once; zero: ids have no effect
 * @param keyIndex whether the last message of each key is indexed
 * @param expiry when messages expire
 * @param reload what becomes of the data that the directory holds
 * @param backup where drained blocks go, or null: nowhere
 * @param forward to which queues it forwards
 * @param ehcache the user's cache for redelivery, or null: the built-in one
 * @param subscribers that exist from the start
 * @param attachments what is started with them, by their names
 * @param time clock
 */
record QueueConfig<M>(
    String name,
    Path directory,
    MessageConverter<M> converter,
    StorageConfig storage,
    LimitConfig limits,
    Retention retention,
    Duration deduplicate,
    boolean keyIndex,
    ExpiryConfig expiry,
    ReloadConfig reload,
    @Nullable BackupConfig backup,
    ForwardConfig forward,
    @Nullable Path ehcache,
    List<SubscriberConfig> subscribers,
    Map<String, SubscriberExtension.Attachment> attachments,
    TimeSource time) {

  /**
   * What becomes of the data that the directory holds when the queue is opened.
   *
   * @param take it up, or set it aside
   * @param discardedRetention how long data that was set aside is kept
   */
  record ReloadConfig(boolean take, Duration discardedRetention) {}

  /**
   * Where drained blocks go.
   *
   * @param directory base under which the queue has its own
   * @param retention how long a backup is kept after it was made; zero: for ever
   * @param full what becomes of a block for whose backup there is no space
   */
  record BackupConfig(Path directory, Duration retention, BackupFull full) {}

  static final Duration LONGEST_WINDOW = Duration.ofDays(366);

  QueueConfig {
    storage.check(name);
    limits.check(name);
    retention.check(name);
    expiry.check(name);
    check(
        name,
        !deduplicate.isNegative() && deduplicate.compareTo(LONGEST_WINDOW) <= 0,
        "queue.deduplicate is " + deduplicate + "; zero to 366 days are allowed");
    check(
        name,
        !reload.discardedRetention().isNegative(),
        "queue.discarded.retention is "
            + reload.discardedRetention()
            + "; it must not be negative");
    subscribers = List.copyOf(subscribers);
    attachments = Map.copyOf(attachments);
    checkNames(name, subscribers);
    forward.check(name, subscribers);
    if (backup != null) {
      checkBackup(name, directory, backup);
    }
    check(
        name,
        ehcache == null || Files.isReadable(ehcache),
        "ehcache.config: there is no readable file "
            + (ehcache == null ? "" : ehcache.toAbsolutePath()));
  }

  /** How its log is to be kept in this directory. */
  LogSettings logSettings(DataDirectory own) {
    return new LogSettings(
        name,
        own.identity(),
        own.log(),
        storage.effectiveBlockBytes(),
        storage.recycle(),
        storage.effectiveDiskReserve(own.path(), backup),
        time,
        Delays.largest(own.delayed(), own.log()),
        own.lock());
  }

  private static void checkNames(String name, List<SubscriberConfig> subscribers) {
    Set<String> names = new HashSet<>();
    for (SubscriberConfig subscriber : subscribers) {
      Names.check("subscriber", subscriber.name());
      ExpiryQueues.check(name, subscriber);
      check(
          name,
          names.add(subscriber.name().toLowerCase(Locale.ROOT)),
          "there are two subscribers of the name " + subscriber.name());
    }
  }

  private static void checkBackup(String name, Path directory, BackupConfig backup) {
    check(
        name,
        !backup.retention().isNegative(),
        "backup.retention is "
            + backup.retention()
            + "; it must be positive, or zero to keep backups for ever");
    Path own = directory.resolve(name).toAbsolutePath().normalize();
    Path base = backup.directory().toAbsolutePath().normalize();
    Path target = base.resolve(name);
    check(
        name,
        !own.startsWith(target) && !target.startsWith(own),
        "backup.directory "
            + backup.directory()
            + " is, holds or lies in the queue's own directory "
            + own);
  }

  static void check(String name, boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("queue " + name + ": " + what);
    }
  }
}
