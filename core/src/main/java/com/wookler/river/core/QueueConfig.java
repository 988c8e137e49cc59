package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All settings of one queue, checked; the builder and the XML both end here.
 *
 * @param name of the queue
 * @param directory base under which the queue has its own
 * @param converter of the data
 * @param recycle when a block is closed, besides its size
 * @param blockBytes size at which a block is closed in any case; at least four times the largest
 *     message
 * @param maxMessageBytes largest data of one message
 * @param durability what a publish promises that asks for no more
 * @param syncInterval of the background force
 * @param reload whether to take up what the directory holds
 * @param discardedRetention how long data that was set aside is kept
 * @param backup where drained blocks go, or null: nowhere
 * @param ehcache the user's cache for redelivery, or null: the built-in one
 * @param subscribers that exist from the start
 * @param time clock
 */
record QueueConfig<M>(
    String name,
    Path directory,
    MessageConverter<M> converter,
    RecycleStrategy recycle,
    long blockBytes,
    int maxMessageBytes,
    Durability durability,
    Duration syncInterval,
    boolean reload,
    Duration discardedRetention,
    @Nullable BackupConfig backup,
    @Nullable Path ehcache,
    List<SubscriberConfig> subscribers,
    TimeSource time) {

  static final Path DEFAULT_DIRECTORY = Path.of("river-data");
  static final long DEFAULT_BLOCK_BYTES = 64L << 20;
  static final int DEFAULT_MAX_MESSAGE_BYTES = 16 << 20;
  static final Durability DEFAULT_DURABILITY = Durability.MEMORY;
  static final Duration DEFAULT_SYNC_INTERVAL = Duration.ofMillis(200);
  static final Duration DEFAULT_DISCARDED_RETENTION = Duration.ofDays(7);
  static final boolean DEFAULT_RELOAD = true;

  static final long MIN_BLOCK_BYTES = 256L << 10; // an empty block has 64 KB of index
  static final long MAX_BLOCK_BYTES = 1L << 30;
  static final int MAX_MESSAGE_BYTES = 128 << 20;
  private static final int BLOCK_PER_MESSAGE = 4;

  /** Never recycles before the block is full. */
  static final RecycleStrategy WHEN_FULL = block -> false;

  /**
   * Where drained blocks go.
   *
   * @param directory base under which the queue has its own
   * @param retention how long a backup is kept after it was made; zero: for ever
   */
  record BackupConfig(Path directory, Duration retention) {}

  QueueConfig {
    Names.check("queue", name);
    check(
        name,
        maxMessageBytes >= 1 && maxMessageBytes <= MAX_MESSAGE_BYTES,
        "queue.max.message.bytes is " + maxMessageBytes + "; 1 byte to 128 MB are allowed");
    check(
        name,
        blockBytes >= MIN_BLOCK_BYTES && blockBytes <= MAX_BLOCK_BYTES,
        "queue.block.bytes is " + blockBytes + "; 256 KB to 1 GB are allowed");
    blockBytes = Math.max(blockBytes, (long) BLOCK_PER_MESSAGE * maxMessageBytes);
    check(
        name,
        syncInterval.toMillis() >= 1,
        "queue.sync.interval is " + syncInterval + "; it must be 1 ms or more");
    check(
        name,
        !discardedRetention.isNegative(),
        "queue.discarded.retention is " + discardedRetention + "; it must not be negative");
    subscribers = List.copyOf(subscribers);
    Set<String> names = new HashSet<>();
    for (SubscriberConfig subscriber : subscribers) {
      Names.check("subscriber", subscriber.name());
      check(
          name,
          names.add(subscriber.name().toLowerCase(Locale.ROOT)),
          "there are two subscribers of the name " + subscriber.name());
    }
    if (backup != null) {
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
  }

  private static void check(String name, boolean right, String what) {
    if (!right) {
      throw new ConfigurationException("queue " + name + ": " + what);
    }
  }
}
