package com.wookler.river.core;

import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a queue stores its messages.
 *
 * @param recycle when a block is closed, besides its size
 * @param blockBytes size at which a block is closed in any case; at least four times the largest
 *     message
 * @param maxMessageBytes largest data of one message
 * @param durability what a publish promises that asks for no more
 * @param syncInterval of the background force
 * @param diskReserve bytes of the volume that blocks leave free; null: by the volume's size
 * @param onDamage what subscribers do where the log is damaged
 */
record StorageConfig(
    RecycleStrategy recycle,
    long blockBytes,
    int maxMessageBytes,
    Durability durability,
    Duration syncInterval,
    @Nullable Long diskReserve,
    OnDamage onDamage) {

  static final long MIN_BLOCK_BYTES = 256L << 10; // an empty block has 64 KB of index
  static final long MAX_BLOCK_BYTES = 1L << 30;
  static final int MAX_MESSAGE_BYTES = 128 << 20;
  private static final Duration MIN_SYNC_INTERVAL = Duration.ofMillis(1);
  private static final int BLOCK_PER_MESSAGE = 4;
  private static final long MOST_DEFAULT_RESERVE = 256L << 20;
  private static final int RESERVED_PART = 20; // of the volume: 5 %

  /** Never recycles before the block is full. */
  static final RecycleStrategy WHEN_FULL = block -> false;

  /** Refuses what is out of its range. */
  void check(String queue) {
    QueueConfig.check(
        queue,
        maxMessageBytes >= 1 && maxMessageBytes <= MAX_MESSAGE_BYTES,
        "queue.max.message.bytes is " + maxMessageBytes + "; 1 byte to 128 MB are allowed");
    QueueConfig.check(
        queue,
        blockBytes >= MIN_BLOCK_BYTES && blockBytes <= MAX_BLOCK_BYTES,
        "queue.block.bytes is " + blockBytes + "; 256 KB to 1 GB are allowed");
    QueueConfig.check(
        queue,
        syncInterval.compareTo(MIN_SYNC_INTERVAL) >= 0,
        "queue.sync.interval is " + syncInterval + "; it must be 1 ms or more");
    QueueConfig.check(
        queue,
        diskReserve == null || diskReserve >= 0,
        "queue.disk.reserve is " + diskReserve + "; it must not be negative");
  }

  /**
   * Bytes that blocks leave free on the volume of this directory. Where the backup is on it too, a
   * block more: a block must be backed up before its space is free.
   */
  long effectiveDiskReserve(Path directory, QueueConfig.@Nullable BackupConfig backup) {
    if (diskReserve != null) {
      return diskReserve;
    }
    long reserve =
        Math.min(MOST_DEFAULT_RESERVE, directory.toFile().getTotalSpace() / RESERVED_PART);
    return backup != null && onOneVolume(directory, backup.directory())
        ? reserve + effectiveBlockBytes()
        : reserve;
  }

  private static boolean onOneVolume(Path directory, Path other) {
    try {
      Path existing = other.toAbsolutePath().normalize();
      while (!Files.exists(existing) && existing.getParent() != null) {
        existing = existing.getParent();
      }
      return Files.getFileStore(directory).equals(Files.getFileStore(existing));
    } catch (IOException e) {
      return true; // the larger reserve does no harm
    }
  }

  /** Size at which a block is closed, large enough for the largest message. */
  long effectiveBlockBytes() {
    return Math.max(blockBytes, (long) BLOCK_PER_MESSAGE * maxMessageBytes);
  }
}
