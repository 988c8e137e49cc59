package com.wookler.river.rest.server;

import com.wookler.river.core.BackupFull;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.OnDamage;
import com.wookler.river.core.Retention;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.TimeBasedRecycle;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code QueueSettings} of the contract; null is what the request leaves out. */
record QueueSettingsJson(
    @Nullable Durability durability,
    @Nullable String syncInterval,
    @Nullable Integer maxMessageBytes,
    @Nullable Long maxMessages,
    @Nullable Long maxBytes,
    @Nullable WhenFull whenFull,
    @Nullable RetentionJson retention,
    @Nullable String deduplicate,
    @Nullable String maxAge,
    @Nullable String expiryQueue,
    @Nullable Boolean keyIndex,
    @Nullable Long blockBytes,
    @Nullable OnDamage onDamage,
    @Nullable RecycleJson recycle,
    @Nullable BackupJson backup) {

  private static final Duration DEDUPLICATE = Duration.ofMinutes(10);
  private static final Duration LONGEST_BLOCK = Duration.ofSeconds(30);
  static final QueueSettingsJson NONE =
      new QueueSettingsJson(
          null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

  record WhenFull(FullPolicy policy, @Nullable String timeout) {
    WhenFull {
      policy = Json.required("policy", policy);
    }

    WhenFull plain() {
      return new WhenFull(
          policy,
          QueueSettingsJson.plain(
              "whenFull.timeout", timeout, policy == FullPolicy.BLOCK ? LONGEST_BLOCK : null));
    }
  }

  record RetentionJson(@Nullable String age, @Nullable Long bytes, @Nullable Long messages) {
    RetentionJson plain() {
      return new RetentionJson(
          QueueSettingsJson.plain("retention.age", age, null), bytes, messages);
    }
  }

  record RecycleJson(@Nullable Long messages, @Nullable Long bytes, @Nullable String age) {
    RecycleJson plain() {
      return new RecycleJson(messages, bytes, QueueSettingsJson.plain("recycle.age", age, null));
    }

    /** Whichever is due first. */
    RecycleStrategy strategy() {
      RecycleStrategy first = null;
      if (messages != null) {
        first = SizeBasedRecycle.ofMessages(messages);
      }
      if (bytes != null) {
        first = either(first, SizeBasedRecycle.ofBytes(bytes));
      }
      if (age != null) {
        first = either(first, TimeBasedRecycle.every(Text.duration("recycle.age", age)));
      }
      if (first == null) {
        throw Problem.field("recycle", "says neither messages nor bytes nor age");
      }
      return first;
    }

    private static RecycleStrategy either(@Nullable RecycleStrategy one, RecycleStrategy other) {
      return one == null ? other : block -> one.isDue(block) || other.isDue(block);
    }
  }

  /** Where it goes is the server's to say: no request names a path. */
  record BackupJson(String retention, @Nullable BackupFull full) {
    BackupJson {
      retention = Json.required("retention", retention);
    }

    private Duration time() {
      return Text.duration("backup.retention", retention);
    }

    BackupJson plain() {
      return new BackupJson(Text.of(time()), unless(full, BackupFull.KEEP));
    }

    void applyTo(MessageQueue.Builder<?> queue, @Nullable Path base) {
      if (base == null) {
        throw Problem.field(
            "backup", "this server keeps no backups: it has no server.backup.directory");
      }
      queue.backup(base, time());
      set(full, queue::backupFull);
    }
  }

  /** The same settings, always said in the same way: what is the default is left out. */
  QueueSettingsJson plain() {
    return new QueueSettingsJson(
        unless(durability, Durability.MEMORY),
        plain("syncInterval", syncInterval, Duration.ofMillis(200)),
        maxMessageBytes,
        unless(maxMessages, 0L),
        unless(maxBytes, 0L),
        whenFull == null || whenFull.policy() == FullPolicy.REJECT ? null : whenFull.plain(),
        retention == null ? null : retention.plain(),
        plain("deduplicate", deduplicate, DEDUPLICATE),
        plain("maxAge", maxAge, Duration.ZERO),
        expiryQueue,
        unless(keyIndex, false),
        blockBytes,
        unless(onDamage, OnDamage.SALVAGE),
        recycle == null ? null : recycle.plain(),
        backup == null ? null : backup.plain());
  }

  private static <T> @Nullable T unless(@Nullable T value, T dflt) {
    return dflt.equals(value) ? null : value;
  }

  private static @Nullable String plain(
      String field, @Nullable String text, @Nullable Duration dflt) {
    Duration value = text == null ? null : Text.duration(field, text);
    return value == null || value.equals(dflt) ? null : Text.of(value);
  }

  /**
   * Tells the builder.
   *
   * @param backups base directory of backups; null if the server has none
   * @throws Problem naming what is out of its range
   */
  void applyTo(MessageQueue.Builder<?> queue, @Nullable Path backups) {
    set(durability, queue::durability);
    duration("syncInterval", syncInterval, queue::syncInterval);
    set(maxMessageBytes, queue::maxMessageBytes);
    set(maxMessages == null || maxMessages == 0 ? null : maxMessages, queue::maxMessages);
    set(maxBytes == null || maxBytes == 0 ? null : maxBytes, queue::maxBytes);
    set(blockBytes, queue::blockBytes);
    set(onDamage, queue::onDamage);
    set(keyIndex, queue::keyIndex);
    queue.deduplicate(
        deduplicate == null ? DEDUPLICATE : Text.duration("deduplicate", deduplicate));
    if (maxAge != null || expiryQueue != null) {
      queue.maxAge(maxAge == null ? Duration.ZERO : Text.duration("maxAge", maxAge), expiryQueue);
    }
    if (whenFull != null) {
      queue.whenFull(whenFull.policy(), timeout(whenFull));
    }
    if (retention != null) {
      queue.retention(retention(retention));
    }
    if (recycle != null) {
      queue.recycle(Problems.checked("recycle", recycle::strategy));
    }
    if (backup != null) {
      backup.applyTo(queue, backups);
    }
  }

  private static Duration timeout(WhenFull full) {
    Duration timeout =
        full.timeout() == null ? LONGEST_BLOCK : Text.duration("whenFull.timeout", full.timeout());
    if (timeout.compareTo(LONGEST_BLOCK) > 0) {
      throw Problem.field("whenFull.timeout", "is more than " + Text.of(LONGEST_BLOCK));
    }
    return timeout;
  }

  private static Retention retention(RetentionJson json) {
    Retention retention = null;
    if (json.age() != null) {
      retention = Retention.ofAge(Text.duration("retention.age", json.age()));
    }
    if (json.bytes() != null) {
      retention =
          retention == null ? Retention.ofBytes(json.bytes()) : retention.withBytes(json.bytes());
    }
    if (json.messages() != null) {
      retention =
          retention == null
              ? Retention.ofMessages(json.messages())
              : retention.withMessages(json.messages());
    }
    if (retention == null) {
      throw Problem.field("retention", "says neither age nor bytes nor messages");
    }
    return retention;
  }

  private static <T> void set(@Nullable T value, Consumer<T> setting) {
    if (value != null) {
      setting.accept(value);
    }
  }

  private static void duration(String field, @Nullable String text, Consumer<Duration> setting) {
    if (text != null) {
      setting.accept(Text.duration(field, text));
    }
  }
}
