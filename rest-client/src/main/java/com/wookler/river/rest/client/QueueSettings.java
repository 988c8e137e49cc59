package com.wookler.river.rest.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue that a server makes. What is null has the server's default.
 *
 * @param durability what messages survive once a publish returned
 * @param syncInterval how often {@code MEMORY} is brought to the device
 * @param maxMessageBytes size of a message, 1 to 134,217,728
 * @param maxMessages that are kept; 0: any number
 * @param maxBytes that are kept; 0: any number
 * @param whenFull what a publish meets then
 * @param retention how long what nobody has finished is kept
 * @param deduplicate how long an id is known (10 minutes); zero: ids have no effect, and a publish
 *     that is repeated may be stored twice
 * @param maxAge after which messages expire
 * @param expiryQueue that gets what has expired
 * @param keyIndex whether messages can be found by key
 * @param blockBytes size of a file of the log
 * @param onDamage {@code SALVAGE} or {@code STOP}
 * @param recycle when a file of the log is closed before it has {@code blockBytes}
 * @param backup whether what leaves the log is kept; the server has to have a directory for that
 */
public record QueueSettings(
    @Nullable Durability durability,
    @Nullable Duration syncInterval,
    @Nullable Integer maxMessageBytes,
    @Nullable Long maxMessages,
    @Nullable Long maxBytes,
    @Nullable WhenFull whenFull,
    @Nullable Retention retention,
    @Nullable Duration deduplicate,
    @Nullable Duration maxAge,
    @Nullable String expiryQueue,
    @Nullable Boolean keyIndex,
    @Nullable Long blockBytes,
    @Nullable String onDamage,
    @Nullable Recycle recycle,
    @Nullable Backup backup) {

  /**
   * What a publish to a full queue meets.
   *
   * @param policy {@code REJECT}, {@code BLOCK} or {@code DISCARD_OLDEST}
   * @param timeout how long {@code BLOCK} waits, at most 30 seconds
   */
  public record WhenFull(String policy, @Nullable Duration timeout) {}

  /** How long what nobody has finished is kept; at least one is there. */
  public record Retention(@Nullable Duration age, @Nullable Long bytes, @Nullable Long messages) {}

  /**
   * When a file of the log is closed, whichever comes first; at least one is there. What is closed,
   * and finished by every subscriber, leaves the log.
   *
   * @param messages in it
   * @param bytes of its messages
   * @param age since its first message
   */
  public record Recycle(@Nullable Long messages, @Nullable Long bytes, @Nullable Duration age) {}

  /**
   * What becomes of files that leave the log: the server keeps them, compressed and verified.
   *
   * @param retention how long; zero: for ever
   * @param full where there is no space: {@code KEEP} them in the log (default) or {@code DELETE}
   */
  public record Backup(Duration retention, @Nullable String full) {}

  /** The server's defaults, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private @Nullable Durability durability;
    private @Nullable Duration syncInterval;
    private @Nullable Integer maxMessageBytes;
    private @Nullable Long maxMessages;
    private @Nullable Long maxBytes;
    private @Nullable WhenFull whenFull;
    private @Nullable Retention retention;
    private @Nullable Duration deduplicate;
    private @Nullable Duration maxAge;
    private @Nullable String expiryQueue;
    private @Nullable Boolean keyIndex;
    private @Nullable Long blockBytes;
    private @Nullable String onDamage;
    private @Nullable Recycle recycle;
    private @Nullable Backup backup;

    private Builder() {}

    /** What messages survive once a publish returned. */
    public Builder durability(Durability level) {
      durability = level;
      return this;
    }

    /** How often {@code MEMORY} is brought to the device. */
    public Builder syncInterval(Duration interval) {
      syncInterval = interval;
      return this;
    }

    /** Size of a message at most. */
    public Builder maxMessageBytes(int bytes) {
      maxMessageBytes = bytes;
      return this;
    }

    /** How many messages are kept at most; 0: any number. */
    public Builder maxMessages(long messages) {
      maxMessages = messages;
      return this;
    }

    /** How many bytes are kept at most; 0: any number. */
    public Builder maxBytes(long bytes) {
      maxBytes = bytes;
      return this;
    }

    /** A full queue refuses. */
    public Builder rejectWhenFull() {
      whenFull = new WhenFull("REJECT", null);
      return this;
    }

    /** A publish to a full queue waits, at most 30 seconds. */
    public Builder blockWhenFull(Duration timeout) {
      whenFull = new WhenFull("BLOCK", timeout);
      return this;
    }

    /** A full queue gives up its oldest messages. */
    public Builder discardOldestWhenFull() {
      whenFull = new WhenFull("DISCARD_OLDEST", null);
      return this;
    }

    /** How long what nobody has finished is kept. */
    public Builder retention(Retention limits) {
      retention = limits;
      return this;
    }

    /** How long an id is known; zero: ids have no effect. */
    public Builder deduplicate(Duration window) {
      deduplicate = window;
      return this;
    }

    /** After which messages expire. */
    public Builder maxAge(Duration age) {
      maxAge = age;
      return this;
    }

    /** The queue that gets what has expired. */
    public Builder expiryQueue(String name) {
      expiryQueue = name;
      return this;
    }

    /** Whether messages can be found by key. */
    public Builder keyIndex(boolean index) {
      keyIndex = index;
      return this;
    }

    /** Size of a file of the log. */
    public Builder blockBytes(long bytes) {
      blockBytes = bytes;
      return this;
    }

    /** {@code SALVAGE} or {@code STOP}. */
    public Builder onDamage(String what) {
      onDamage = what;
      return this;
    }

    /** When a file of the log is closed before it has {@code blockBytes}. */
    public Builder recycle(Recycle limits) {
      recycle = limits;
      return this;
    }

    /**
     * Keeps what leaves the log for so long; zero: for ever. The server decides where, and refuses
     * it where it has no directory for backups.
     */
    public Builder backup(Duration retention) {
      return backup(new Backup(retention, null));
    }

    /** Likewise, with what becomes of files for whose backup there is no space. */
    public Builder backup(Backup settings) {
      backup = settings;
      return this;
    }

    /** The settings so far. */
    public QueueSettings build() {
      return new QueueSettings(
          durability,
          syncInterval,
          maxMessageBytes,
          maxMessages,
          maxBytes,
          whenFull,
          retention,
          deduplicate,
          maxAge,
          expiryQueue,
          keyIndex,
          blockBytes,
          onDamage,
          recycle,
          backup);
    }
  }
}
