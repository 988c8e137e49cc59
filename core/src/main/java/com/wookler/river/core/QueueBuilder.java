package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a queue: a method for each option, and what is no option. Not
 * thread-safe.
 *
 * @param <M> type of the data
 * @param <B> the builder that the methods return
 */
abstract class QueueBuilder<M, B extends QueueBuilder<M, B>> {
  private final String name;
  private final MessageConverter<M> converter;
  private final List<SubscriberConfig> subscribers = new ArrayList<>();
  private final List<QueueExtension.Setting> given = new ArrayList<>();
  private Settings settings = QueueOptions.TABLE.defaults();
  private RecycleStrategy recycle = QueueConfig.WHEN_FULL;
  private TimeSource time = TimeSource.system();
  private Defaults defaults = Defaults.NONE;

  QueueBuilder(String name, MessageConverter<M> converter) {
    this.name = Objects.requireNonNull(name, "name");
    this.converter = Objects.requireNonNull(converter, "converter");
  }

  abstract B self();

  /** Sets an option of {@link QueueOptions}; null: its default. */
  public <T> B set(Option<T> option, @Nullable T value) {
    settings = settings.with(option, value);
    return self();
  }

  /** Sets all options. */
  public B settings(Settings all) {
    settings = Objects.requireNonNull(all, "all");
    return self();
  }

  /**
   * What the queue has where nothing is set here, and its subscribers where they say nothing when
   * they are created.
   */
  public B defaults(Defaults all) {
    defaults = Objects.requireNonNull(all, "all");
    return self();
  }

  /** Base directory, in which the queue has one of its name (default {@code river-data}). */
  public B directory(Path base) {
    return set(QueueOptions.DIRECTORY, Objects.requireNonNull(base, "base"));
  }

  /** When a block is closed, besides its size (default: when it is full). */
  public B recycle(RecycleStrategy strategy) {
    recycle = Objects.requireNonNull(strategy, "strategy");
    return self();
  }

  /**
   * Archives drained blocks, which are else deleted, under {@code base} in a directory of the
   * queue's name, and keeps a backup for {@code retention} after it was made; zero: for ever.
   */
  public B backup(Path base, Duration retention) {
    Objects.requireNonNull(retention, "retention"); // before one of the two is taken
    return set(QueueOptions.BACKUP_DIRECTORY, Objects.requireNonNull(base, "base"))
        .set(QueueOptions.BACKUP_RETENTION, retention);
  }

  /**
   * Sets what becomes of a block for whose backup there is no space (default: it stays until there
   * is).
   */
  public B backupFull(BackupFull policy) {
    return set(QueueOptions.BACKUP_FULL, Objects.requireNonNull(policy, "policy"));
  }

  /** What a publish promises that asks for no more (default {@link Durability#MEMORY}). */
  public B durability(Durability level) {
    return set(QueueOptions.DURABILITY, Objects.requireNonNull(level, "level"));
  }

  /**
   * Pause between two background forces (default 200 ms, at least 1 ms); see {@link
   * Durability#MEMORY}.
   */
  public B syncInterval(Duration interval) {
    return set(QueueOptions.SYNC_INTERVAL, Objects.requireNonNull(interval, "interval"));
  }

  /** What subscribers do where the log is damaged (default {@link OnDamage#SALVAGE}). */
  public B onDamage(OnDamage action) {
    return set(QueueOptions.ON_DAMAGE, Objects.requireNonNull(action, "action"));
  }

  /** Largest data of one message in bytes (default 16 MB, at most 128 MB). */
  public B maxMessageBytes(int bytes) {
    return set(QueueOptions.MAX_MESSAGE_BYTES, (long) bytes);
  }

  /**
   * Sets how many blocks of the log a subscriber that is not in use may hold (default 16; 0: any
   * number) before the queue warns of it: see {@link QueueListener#subscriberUnused}.
   */
  public B unusedBlocks(long blocks) {
    return set(QueueOptions.UNUSED_BLOCKS, blocks);
  }

  /** Sets how old the oldest of them may be (default a day; zero: of any age), in the same way. */
  public B unusedAge(Duration age) {
    return set(QueueOptions.UNUSED_AGE, Objects.requireNonNull(age, "age"));
  }

  /**
   * Sets how many messages the queue may hold (default: any number): what its slowest subscriber
   * has not completed, and without subscribers what is in the log; and the delayed ones that wait
   * and are not among these; see {@link #whenFull}.
   */
  public B maxMessages(long messages) {
    return set(QueueOptions.MAX_MESSAGES, messages);
  }

  /**
   * Sets how many bytes, envelopes included, the queue may hold (default: any number), counted like
   * {@link #maxMessages} to within a 256th; what is there when it is opened, by its blocks' sizes,
   * and delayed ones by what was published next to them; see {@link #whenFull}.
   */
  public B maxBytes(long bytes) {
    return set(QueueOptions.MAX_BYTES, bytes);
  }

  /**
   * Sets what a publish does for which these limits leave no capacity (default {@link
   * FullPolicy#REJECT}), and how long {@link FullPolicy#BLOCK} waits (default 30 s). A batch larger
   * than a limit is refused at once, whatever the policy.
   */
  public B whenFull(FullPolicy policy, Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    return set(QueueOptions.FULL_POLICY, Objects.requireNonNull(policy, "policy"))
        .set(QueueOptions.FULL_TIMEOUT, timeout);
  }

  /** Sets how long the queue keeps what no subscriber has completed (default: for good). */
  public B retention(Retention retention) {
    settings = retention.in(settings);
    return self();
  }

  /**
   * Stores messages of one id once within this time (default zero: ids have no effect; at most 366
   * days). An id in it takes 16 to 32 bytes of heap, and 25 and its own on disk.
   */
  public B deduplicate(Duration window) {
    return set(QueueOptions.DEDUPLICATE, Objects.requireNonNull(window, "window"));
  }

  /**
   * Whether to index the last message of each key, for {@link MessageQueue#latest} (default: no).
   * Publishing pays nothing; in the background each message is read once more. Takes 3 MB, and 16
   * to 32 bytes on disk for each key in log and backups. On later, it takes in what is there.
   */
  public B keyIndex(boolean on) {
    return set(QueueOptions.KEY_INDEX, on);
  }

  /**
   * Sets whether only the last message of each key is kept, of those in closed blocks and backups
   * (default: no); needs {@link #keyIndex}. A message with a key and without data deletes the key.
   * Messages without a key are kept, and so are delayed ones. Without a backup, what all
   * subscribers have completed stays in the log.
   */
  public B compact(boolean on) {
    return set(QueueOptions.COMPACT, on);
  }

  /** Sets how old a block is before it is compacted (default zero), by its last message. */
  public B compactAge(Duration age) {
    return set(QueueOptions.COMPACT_AGE, Objects.requireNonNull(age, "age"));
  }

  /** Sets by how much the closed blocks grow before all are compacted again (default 64 MB). */
  public B compactBytes(long bytes) {
    return set(QueueOptions.COMPACT_BYTES, bytes);
  }

  /** Sets how long a delete marker is kept after it was published (default a day). */
  public B compactDeletesAge(Duration age) {
    return set(QueueOptions.COMPACT_DELETES_AGE, Objects.requireNonNull(age, "age"));
  }

  /**
   * Sets whether messages are also removed that a subscriber has not completed (default: no): it
   * gets the last one of each key, and perhaps some of those before it.
   */
  public B compactUnseen(boolean on) {
    return set(QueueOptions.COMPACT_UNSEEN, on);
  }

  /**
   * Lets messages expire so long after they were published (default zero: only those that say so).
   * What is in flight then may still be acknowledged.
   *
   * @param expiryQueue another queue, open here with the same base directory, to which a message is
   *     transferred for each subscriber that had not completed it, before it counts as completed;
   *     while it cannot be, expired messages and those after them wait. Null: they go nowhere
   */
  public B maxAge(Duration age, @Nullable String expiryQueue) {
    return set(QueueOptions.MAX_AGE, Objects.requireNonNull(age, "age"))
        .set(QueueOptions.EXPIRY_QUEUE, expiryQueue);
  }

  /**
   * Forwards every message to other queues (default: none), each once, in order, batches as
   * batches; a little after its publish, also after a crash.
   *
   * <p>They have to be open in this JVM, with the same base directory; what is for one that is not,
   * or is full, waits in this queue's log. Key, headers and what is left of the expiry go along,
   * {@link com.wookler.river.core.message.ForwardOrigin} says where it came from; its id does not.
   * A new target gets what is in the log; one that is left out again keeps its place, and blocks:
   * {@code Forwards.remove}. Nothing may come back.
   */
  public B forwardTo(String... queues) {
    return set(QueueOptions.FORWARD, List.of(queues));
  }

  /**
   * Sets whether the queue is for {@link #forwardTo} alone (default: no): without subscribers, its
   * log kept only until all targets have forced what they got.
   */
  public B fanoutOnly(boolean on) {
    return set(QueueOptions.FANOUT_ONLY, on);
  }

  /** Size at which a block is closed in any case (default 64 MB; 256 KB to 1 GB). */
  public B blockBytes(long bytes) {
    return set(QueueOptions.BLOCK_BYTES, bytes);
  }

  /**
   * Sets the bytes of its volume that the queue leaves free (default 256 MB or 5 % of the volume,
   * whichever is less, and a block more where the backup is on the same volume; 0: none). Below
   * them publishing ends with a {@code QueueFullException} until there is space again; reading,
   * acknowledging and archiving continue.
   */
  public B diskReserve(long bytes) {
    return set(QueueOptions.DISK_RESERVE, bytes);
  }

  /**
   * Whether to take up what the directory holds (default); otherwise the opening renames it to
   * {@code <queue>.discarded-…}, and starts empty.
   */
  public B reload(boolean take) {
    return set(QueueOptions.RELOAD, take);
  }

  /** Sets how long what {@link #reload} has renamed is kept (default 7 days). */
  public B discardedRetention(Duration retention) {
    return set(QueueOptions.DISCARDED_RETENTION, Objects.requireNonNull(retention, "retention"));
  }

  /** An Ehcache 3 file for the redelivery cache (default: a small built-in one). */
  public B ehcache(Path file) {
    return set(QueueOptions.EHCACHE, Objects.requireNonNull(file, "file"));
  }

  /** Adds what sees each message before it is converted; several run in the order of calls. */
  @SuppressWarnings("unchecked") // set here only
  public B interceptor(PublishInterceptor<M> interceptor) {
    PublishInterceptor<M> before = (PublishInterceptor<M>) settings.find(QueueOptions.INTERCEPTOR);
    Objects.requireNonNull(interceptor, "interceptor");
    return set(
        QueueOptions.INTERCEPTOR, before == null ? interceptor : before.andThen(interceptor));
  }

  /** A subscriber that exists from the start. */
  public B subscriber(SubscriberConfig subscriber) {
    subscribers.add(Objects.requireNonNull(subscriber, "subscriber"));
    return self();
  }

  /** Adds what the part of an extension is configured with, as {@code ForwardConfig}. */
  public B with(QueueExtension.Setting setting) {
    given.add(Objects.requireNonNull(setting, "setting"));
    return self();
  }

  /** The clock, for tests that move it (default: the system's). */
  public B timeSource(TimeSource source) {
    time = Objects.requireNonNull(source, "source");
    return self();
  }

  /**
   * After so long without a message in it, without a publish, a poll, an acknowledgement and a
   * consumer that waits, the queue is closed and deleted, but for its backups; zero, the default,
   * is never. The time counts while the queue is open, from when it was opened on. A queue with
   * dead letters, or with a status that is not {@code UP}, stays.
   */
  public B expiresAfter(Duration unused) {
    return set(QueueOptions.EXPIRES_AFTER, Objects.requireNonNull(unused, "unused"));
  }

  QueueConfig<M> config() {
    return new QueueConfig<>(
        Names.check("queue", name),
        converter,
        settings.or(defaults.queue(name)),
        recycle,
        new QueueConfig.Start(subscribers, Map.of(), given, defaults),
        time);
  }
}
