package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What can be set of a queue by {@link MessageQueue.Builder}, which is where users meet it.
 *
 * @param <M> type of the data
 * @param <B> the builder
 */
abstract class QueueOptions<M, B extends QueueOptions<M, B>> {
  private final QueueSettings<M> settings;

  QueueOptions(String name, MessageConverter<M> converter) {
    this.settings =
        new QueueSettings<>(
            Objects.requireNonNull(name, "name"), Objects.requireNonNull(converter, "converter"));
  }

  abstract B self();

  /**
   * All of it, as a queue takes it.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException a setting is out of its range
   */
  final QueueConfig<M> config() {
    return settings.config();
  }

  /** Base directory, in which the queue has one of its name (default {@code river-data}). */
  public B directory(Path base) {
    settings.directory = Objects.requireNonNull(base, "base");
    return self();
  }

  /** When a block is closed, besides its size (default: when it is full). */
  public B recycle(RecycleStrategy strategy) {
    settings.recycle = Objects.requireNonNull(strategy, "strategy");
    return self();
  }

  /**
   * Archives drained blocks instead of just deleting them.
   *
   * @param base in which the queue has a directory of its name
   * @param retention how long a backup is kept after it was made; zero: for ever
   */
  public B backup(Path base, Duration retention) {
    Objects.requireNonNull(retention, "retention"); // before one of the two is taken
    settings.backupDirectory = Objects.requireNonNull(base, "base");
    settings.backupRetention = retention;
    return self();
  }

  /**
   * What becomes of a drained block for whose backup there is no space (default: it stays until
   * there is).
   */
  public B backupFull(BackupFull policy) {
    settings.backupFull = Objects.requireNonNull(policy, "policy");
    return self();
  }

  /** What a publish promises that asks for no more (default {@link Durability#MEMORY}). */
  public B durability(Durability level) {
    settings.durability = Objects.requireNonNull(level, "level");
    return self();
  }

  /** Pause between two background forces (default 200 ms); see {@link Durability#MEMORY}. */
  public B syncInterval(Duration interval) {
    settings.syncInterval = Objects.requireNonNull(interval, "interval");
    return self();
  }

  /** What subscribers do where the log is damaged (default {@link OnDamage#SALVAGE}). */
  public B onDamage(OnDamage action) {
    settings.onDamage = Objects.requireNonNull(action, "action");
    return self();
  }

  /** Largest data of one message in bytes (default 16 MB, at most 128 MB). */
  public B maxMessageBytes(int bytes) {
    settings.maxMessageBytes = bytes;
    return self();
  }

  /**
   * How many messages the queue may hold (default: any number): what its slowest subscriber has not
   * finished, and without subscribers what is in the log; and the delayed ones that wait and are
   * not among these; see {@link #whenFull}.
   */
  public B maxMessages(long messages) {
    settings.maxMessages = messages;
    return self();
  }

  /**
   * How many bytes, envelopes included, the queue may hold (default: any number), counted like
   * {@link #maxMessages} to within a 256th; what is there when it is opened, by its blocks' sizes,
   * and delayed ones by what was published next to them.
   */
  public B maxBytes(long bytes) {
    settings.maxBytes = bytes;
    return self();
  }

  /**
   * What a publish does for which these limits leave no room (default {@link FullPolicy#REJECT}). A
   * batch larger than a limit is refused at once, whatever the policy.
   *
   * @param timeout how long {@link FullPolicy#BLOCK} waits (default 30 s)
   */
  public B whenFull(FullPolicy policy, Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    settings.fullPolicy = Objects.requireNonNull(policy, "policy");
    settings.fullTimeout = timeout;
    return self();
  }

  /** How long the queue keeps what nobody has finished (default: for good). */
  public B retention(Retention retention) {
    settings.retention = Objects.requireNonNull(retention, "retention");
    return self();
  }

  /**
   * Stores messages of one id once within this time (default zero: ids have no effect; at most 366
   * days). An id in it takes 16 to 32 bytes of heap, and 25 and its own on disk.
   */
  public B deduplicate(Duration window) {
    settings.deduplicate = Objects.requireNonNull(window, "window");
    return self();
  }

  /**
   * Whether to index the last message of each key, for {@link MessageQueue#latest} (default: no).
   * Publishing pays nothing; in the background each message is read once more. Takes 3 MB, and 16
   * to 32 bytes on disk for each key in log and backups. On later, it takes in what is there.
   */
  public B keyIndex(boolean on) {
    settings.keyIndex = on;
    return self();
  }

  /**
   * Lets messages expire so long after they were published (default zero: only those that say so).
   * What is out then may still be acknowledged.
   *
   * @param expiryQueue another queue, to which a message is handed on for each subscriber that had
   *     not finished it, before it counts as finished. It has to be open here, with the same base
   *     directory; else expired messages wait, and those behind. Null: they go nowhere
   */
  public B maxAge(Duration age, @Nullable String expiryQueue) {
    settings.maxAge = Objects.requireNonNull(age, "age");
    settings.expiryQueue = expiryQueue;
    return self();
  }

  /**
   * Other queues to which every message is forwarded, each once, in order, batches as batches
   * (default: none); a little after its publish, also after a crash.
   *
   * <p>They have to be open in this JVM, with the same base directory; what is for one that is not,
   * or is full, waits in this queue's log. Key, headers and what is left of the expiry go along,
   * {@link com.wookler.river.core.message.ForwardOrigin} says where it came from; its id does not.
   * A new target gets what is in the log; one that is left out again keeps its place, and blocks:
   * {@link MessageQueue#removeForward}. Nothing may come back.
   */
  public B forwardTo(String... queues) {
    settings.forward = new ForwardConfig(List.of(queues), settings.forward.only());
    return self();
  }

  /**
   * Whether the queue is there for {@link #forwardTo} alone (default: no): without subscribers, and
   * its log is kept only until all targets have forced what they got.
   */
  public B fanoutOnly(boolean on) {
    settings.forward = new ForwardConfig(settings.forward.queues(), on);
    return self();
  }

  /** How many messages a step of housekeeping lets expire at most (default 1,000). */
  public B maxExpireSweep(int messages) {
    settings.maxExpireSweep = messages;
    return self();
  }

  /** Size at which a block is closed in any case (default 64 MB, at most 1 GB). */
  public B blockBytes(long bytes) {
    settings.blockBytes = bytes;
    return self();
  }

  /**
   * Bytes of its volume that the queue leaves free (default 256 MB or 5 % of the volume, whichever
   * is less, and a block more where the backup is on the same volume; 0: none). When no more are
   * left, publishing ends with {@link com.wookler.river.core.message.QueueFullException} until
   * there is space again; reading, acknowledging and archiving go on.
   */
  public B diskReserve(long bytes) {
    settings.diskReserve = bytes;
    return self();
  }

  /** Whether to take up what the directory holds (default), or to set it aside. */
  public B reload(boolean take) {
    settings.reload = take;
    return self();
  }

  /** How long data that was set aside is kept (default 7 days). */
  public B discardedRetention(Duration retention) {
    settings.discardedRetention = Objects.requireNonNull(retention, "retention");
    return self();
  }

  /** An Ehcache 3 file for the redelivery cache (default: a small built-in one). */
  public B ehcache(Path file) {
    settings.ehcache = Objects.requireNonNull(file, "file");
    return self();
  }

  /** A subscriber that exists from the start. */
  public B subscriber(SubscriberConfig subscriber) {
    settings.subscribers.add(Objects.requireNonNull(subscriber, "subscriber"));
    return self();
  }

  /** The clock, for tests that move it (default: the system's). */
  public B timeSource(TimeSource source) {
    settings.time = Objects.requireNonNull(source, "source");
    return self();
  }
}
