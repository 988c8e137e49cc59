package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue while they are collected, each with its default. Builder and XML write
 * the same fields, so no setting can have two defaults.
 */
final class QueueSettings<M> {
  final String name;
  final MessageConverter<M> converter;
  Path directory = Path.of("river-data");
  RecycleStrategy recycle = StorageConfig.WHEN_FULL;
  long blockBytes = 64L << 20;
  int maxMessageBytes = 16 << 20;
  Durability durability = Durability.MEMORY;
  Duration syncInterval = Duration.ofMillis(200);
  OnDamage onDamage = OnDamage.SALVAGE;
  long maxMessages = Long.MAX_VALUE;
  long maxBytes = Long.MAX_VALUE;
  FullPolicy fullPolicy = FullPolicy.REJECT;
  Duration fullTimeout = Duration.ofSeconds(30);
  Retention retention = Retention.NONE;
  Duration deduplicate = Duration.ZERO;
  boolean keyIndex;
  @Nullable Long diskReserve;
  Duration maxAge = Duration.ZERO;
  @Nullable String expiryQueue;
  int maxExpireSweep = 1_000;
  boolean reload = true;
  Duration discardedRetention = Duration.ofDays(7);
  @Nullable Path backupDirectory;
  Duration backupRetention = Duration.ZERO;
  BackupFull backupFull = BackupFull.KEEP;
  ForwardConfig forward = ForwardConfig.NONE;
  @Nullable Path ehcache;
  TimeSource time = TimeSource.system();
  final List<SubscriberConfig> subscribers = new ArrayList<>();
  final Map<String, SubscriberExtension.Attachment> attachments = new LinkedHashMap<>();

  QueueSettings(String name, MessageConverter<M> converter) {
    this.name = name;
    this.converter = converter;
  }

  /**
   * All of them, checked.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException one is out of its range
   */
  QueueConfig<M> config() {
    Names.check("queue", name);
    return ownConfig();
  }

  /** Likewise, for a queue of River's own, whose name is reserved. */
  QueueConfig<M> ownConfig() {
    return new QueueConfig<>(
        name,
        directory,
        converter,
        new StorageConfig(
            recycle, blockBytes, maxMessageBytes, durability, syncInterval, diskReserve, onDamage),
        new LimitConfig(maxMessages, maxBytes, fullPolicy, fullTimeout),
        retention,
        deduplicate,
        keyIndex,
        new ExpiryConfig(maxAge, expiryQueue, maxExpireSweep),
        new QueueConfig.ReloadConfig(reload, discardedRetention),
        backupDirectory == null
            ? null
            : new QueueConfig.BackupConfig(backupDirectory, backupRetention, backupFull),
        forward,
        ehcache,
        subscribers,
        attachments,
        time);
  }
}
