package com.wookler.river.rest.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue that a server creates. Settings that are null have the server's defaults.
 *
 * @param durability what a publish that was answered survives: {@code MEMORY} the end of the
 *     process, {@code DISK} the end of the power. A request may ask for more, and never gets less;
 *     default MEMORY
 * @param syncInterval pause between two background forces of log and acknowledgements to the
 *     device; default 200ms
 * @param onDamage what subscribers do where the log is damaged: continue at the next valid message,
 *     and report what is lost; or stop, with a {@code damaged} problem at each poll, until {@code
 *     seek}; default SALVAGE
 * @param blockBytes size at which a block is closed whatever its strategy says; raised to four
 *     times {@code maxMessageBytes}; default 67108864
 * @param maxMessageBytes largest data of one message; default 16777216
 * @param unusedBlocks how many blocks a subscriber that is not in use may hold before that is
 *     logged, reported to listeners and counted; default 16
 * @param unusedAge how old the oldest block may be that a subscriber holds that is not in use,
 *     before that is logged, reported to listeners and counted; default 1d
 * @param expiresAfter after so long without a message in it, a publish, a poll or an
 *     acknowledgement the queue is deleted; 0: never; default 0s
 * @param maxMessages how many messages it may hold: from the oldest on that its slowest subscriber
 *     has not completed, without subscribers those in its log, but for removed ones; and the
 *     delayed ones; 0: any number
 * @param maxBytes how many bytes the queue may hold, counted as messages are, with envelopes, to
 *     within a 256th of the limit; delayed messages that wait count as if they had been published
 *     before the others; of what is there when the queue is opened, an estimate by blocks; 0: any
 *     number
 * @param whenFull what a publish to a full queue meets
 * @param deduplicate window in which messages of one id are stored once; 0: ids have no effect. An
 *     id in the window takes 16 to 32 bytes of heap, and 25 and its own on disk; default 10m
 * @param keyIndex whether the last message of each key is indexed, so that it can be looked up; 16
 *     to 32 bytes on disk for each key. Turned on later, it takes in what is there; default false
 * @param compact whether only the last message of each key is kept, in closed files and backups;
 *     needs the index of keys. A message with a key and without data deletes the key; default false
 * @param compactAge how old the last message of a block is before the block is compacted; needs
 *     {@code keyIndex}; default 0s
 * @param compactBytes bytes by which the closed blocks have to grow before all are compacted again;
 *     needs {@code compact}; default 67108864
 * @param compactDeletesAge how long a delete marker, a message with a key and without data, is
 *     kept; needs {@code keyIndex}; default 1d
 * @param compactUnseen whether messages are also removed that a subscriber has not completed: it
 *     gets a later one of the key. Needs {@code keyIndex}; default false
 * @param maxAge after which a message expires: it is not delivered any more and is completed; 0:
 *     only those expire that say so; default 0s
 * @param expiryQueue another queue of this server, to which expired messages are transferred, each
 *     once. While it is not there, or is full, or takes none as large, expired messages wait, and
 *     those after them
 * @param retention how long messages are kept that no subscriber has completed; without it, for
 *     good. One of them is given
 * @param backup keep what leaves the log, compressed and verified, in the server's own directory
 *     for backups. There it can be looked up, and a new subscriber or {@code seek} may begin.
 *     Without it nothing is kept
 * @param recycle when a file of the log is closed before it has {@code blockBytes}: at a number of
 *     messages, a number of bytes, or a time after its first message, whichever comes first. One of
 *     them is given. What is closed, and completed by every subscriber, leaves the log
 */
public record QueueSettings(
    @Nullable Durability durability,
    @Nullable Duration syncInterval,
    @Nullable String onDamage,
    @Nullable Long blockBytes,
    @Nullable Integer maxMessageBytes,
    @Nullable Long unusedBlocks,
    @Nullable Duration unusedAge,
    @Nullable Duration expiresAfter,
    @Nullable Long maxMessages,
    @Nullable Long maxBytes,
    @Nullable WhenFull whenFull,
    @Nullable Duration deduplicate,
    @Nullable Boolean keyIndex,
    @Nullable Boolean compact,
    @Nullable Duration compactAge,
    @Nullable Long compactBytes,
    @Nullable Duration compactDeletesAge,
    @Nullable Boolean compactUnseen,
    @Nullable Duration maxAge,
    @Nullable String expiryQueue,
    @Nullable Retention retention,
    @Nullable Backup backup,
    @Nullable Recycle recycle) {

  /**
   * Says what a publish to a full queue does.
   *
   * @param policy {@code REJECT}, {@code BLOCK} or {@code DISCARD_OLDEST}
   * @param timeout how long {@code BLOCK} waits, at most 30 seconds
   */
  public record WhenFull(String policy, @Nullable Duration timeout) {}

  /** Limits how long uncompleted messages are kept. At least one limit is not null. */
  public record Retention(@Nullable Duration age, @Nullable Long bytes, @Nullable Long messages) {}

  /**
   * Says when a block of the log is closed: at the first limit reached. At least one limit is not
   * null. A closed block that every subscriber has completed leaves the log.
   *
   * @param messages number of messages in the block
   * @param bytes size of its messages
   * @param age time since its first message
   */
  public record Recycle(@Nullable Long messages, @Nullable Long bytes, @Nullable Duration age) {}

  /**
   * Keeps a backup of blocks that leave the log, compressed and verified.
   *
   * @param retention how long; zero: for ever
   * @param full what happens to blocks while there is no space for backups: {@code KEEP} them in
   *     the log (default) or {@code DELETE}
   */
  public record Backup(Duration retention, @Nullable String full) {}

  /** Creates a builder in which every setting has the server's default. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private @Nullable Durability durability;
    private @Nullable Duration syncInterval;
    private @Nullable String onDamage;
    private @Nullable Long blockBytes;
    private @Nullable Integer maxMessageBytes;
    private @Nullable Long unusedBlocks;
    private @Nullable Duration unusedAge;
    private @Nullable Duration expiresAfter;
    private @Nullable Long maxMessages;
    private @Nullable Long maxBytes;
    private @Nullable WhenFull whenFull;
    private @Nullable Duration deduplicate;
    private @Nullable Boolean keyIndex;
    private @Nullable Boolean compact;
    private @Nullable Duration compactAge;
    private @Nullable Long compactBytes;
    private @Nullable Duration compactDeletesAge;
    private @Nullable Boolean compactUnseen;
    private @Nullable Duration maxAge;
    private @Nullable String expiryQueue;
    private @Nullable Retention retention;
    private @Nullable Backup backup;
    private @Nullable Recycle recycle;

    private Builder() {}

    /**
     * Sets {@code durability}: what a publish that was answered survives: {@code MEMORY} the end of
     * the process, {@code DISK} the end of the power. A request may ask for more, and never gets
     * less; default MEMORY.
     */
    public Builder durability(Durability value) {
      durability = value;
      return this;
    }

    /**
     * Sets {@code syncInterval}: pause between two background forces of log and acknowledgements to
     * the device; default 200ms.
     */
    public Builder syncInterval(Duration value) {
      syncInterval = value;
      return this;
    }

    /**
     * Sets {@code onDamage}: what subscribers do where the log is damaged: continue at the next
     * valid message, and report what is lost; or stop, with a {@code damaged} problem at each poll,
     * until {@code seek}; default SALVAGE.
     */
    public Builder onDamage(String value) {
      onDamage = value;
      return this;
    }

    /**
     * Sets {@code blockBytes}: size at which a block is closed whatever its strategy says; raised
     * to four times {@code maxMessageBytes}; default 67108864.
     */
    public Builder blockBytes(long value) {
      blockBytes = value;
      return this;
    }

    /** Sets {@code maxMessageBytes}: largest data of one message; default 16777216. */
    public Builder maxMessageBytes(int value) {
      maxMessageBytes = value;
      return this;
    }

    /**
     * Sets {@code unusedBlocks}: how many blocks a subscriber that is not in use may hold before
     * that is logged, reported to listeners and counted; default 16.
     */
    public Builder unusedBlocks(long value) {
      unusedBlocks = value;
      return this;
    }

    /**
     * Sets {@code unusedAge}: how old the oldest block may be that a subscriber holds that is not
     * in use, before that is logged, reported to listeners and counted; default 1d.
     */
    public Builder unusedAge(Duration value) {
      unusedAge = value;
      return this;
    }

    /**
     * Sets {@code expiresAfter}: after so long without a message in it, a publish, a poll or an
     * acknowledgement the queue is deleted; 0: never; default 0s.
     */
    public Builder expiresAfter(Duration value) {
      expiresAfter = value;
      return this;
    }

    /**
     * Sets {@code maxMessages}: how many messages it may hold: from the oldest on that its slowest
     * subscriber has not completed, without subscribers those in its log, but for removed ones; and
     * the delayed ones; 0: any number.
     */
    public Builder maxMessages(long value) {
      maxMessages = value;
      return this;
    }

    /**
     * Sets {@code maxBytes}: how many bytes the queue may hold, counted as messages are, with
     * envelopes, to within a 256th of the limit; delayed messages that wait count as if they had
     * been published before the others; of what is there when the queue is opened, an estimate by
     * blocks; 0: any number.
     */
    public Builder maxBytes(long value) {
      maxBytes = value;
      return this;
    }

    /** Sets {@code whenFull}: what a publish to a full queue meets. */
    public Builder whenFull(WhenFull value) {
      whenFull = value;
      return this;
    }

    /**
     * Sets {@code deduplicate}: window in which messages of one id are stored once; 0: ids have no
     * effect. An id in the window takes 16 to 32 bytes of heap, and 25 and its own on disk; default
     * 10m.
     */
    public Builder deduplicate(Duration value) {
      deduplicate = value;
      return this;
    }

    /**
     * Sets {@code keyIndex}: whether the last message of each key is indexed, so that it can be
     * looked up; 16 to 32 bytes on disk for each key. Turned on later, it takes in what is there;
     * default false.
     */
    public Builder keyIndex(boolean value) {
      keyIndex = value;
      return this;
    }

    /**
     * Sets {@code compact}: whether only the last message of each key is kept, in closed files and
     * backups; needs the index of keys. A message with a key and without data deletes the key;
     * default false.
     */
    public Builder compact(boolean value) {
      compact = value;
      return this;
    }

    /**
     * Sets {@code compactAge}: how old the last message of a block is before the block is
     * compacted; needs {@code keyIndex}; default 0s.
     */
    public Builder compactAge(Duration value) {
      compactAge = value;
      return this;
    }

    /**
     * Sets {@code compactBytes}: bytes by which the closed blocks have to grow before all are
     * compacted again; needs {@code compact}; default 67108864.
     */
    public Builder compactBytes(long value) {
      compactBytes = value;
      return this;
    }

    /**
     * Sets {@code compactDeletesAge}: how long a delete marker, a message with a key and without
     * data, is kept; needs {@code keyIndex}; default 1d.
     */
    public Builder compactDeletesAge(Duration value) {
      compactDeletesAge = value;
      return this;
    }

    /**
     * Sets {@code compactUnseen}: whether messages are also removed that a subscriber has not
     * completed: it gets a later one of the key. Needs {@code keyIndex}; default false.
     */
    public Builder compactUnseen(boolean value) {
      compactUnseen = value;
      return this;
    }

    /**
     * Sets {@code maxAge}: after which a message expires: it is not delivered any more and is
     * completed; 0: only those expire that say so; default 0s.
     */
    public Builder maxAge(Duration value) {
      maxAge = value;
      return this;
    }

    /**
     * Sets {@code expiryQueue}: another queue of this server, to which expired messages are
     * transferred, each once. While it is not there, or is full, or takes none as large, expired
     * messages wait, and those after them.
     */
    public Builder expiryQueue(String value) {
      expiryQueue = value;
      return this;
    }

    /**
     * Sets {@code retention}: how long messages are kept that no subscriber has completed; without
     * it, for good. One of them is given.
     */
    public Builder retention(Retention value) {
      retention = value;
      return this;
    }

    /**
     * Sets {@code backup}: keep what leaves the log, compressed and verified, in the server's own
     * directory for backups. There it can be looked up, and a new subscriber or {@code seek} may
     * begin. Without it nothing is kept.
     */
    public Builder backup(Backup value) {
      backup = value;
      return this;
    }

    /**
     * Sets {@code recycle}: when a file of the log is closed before it has {@code blockBytes}: at a
     * number of messages, a number of bytes, or a time after its first message, whichever comes
     * first. One of them is given. What is closed, and completed by every subscriber, leaves the
     * log.
     */
    public Builder recycle(Recycle value) {
      recycle = value;
      return this;
    }

    /** Returns the settings. */
    public QueueSettings build() {
      return new QueueSettings(
          durability,
          syncInterval,
          onDamage,
          blockBytes,
          maxMessageBytes,
          unusedBlocks,
          unusedAge,
          expiresAfter,
          maxMessages,
          maxBytes,
          whenFull,
          deduplicate,
          keyIndex,
          compact,
          compactAge,
          compactBytes,
          compactDeletesAge,
          compactUnseen,
          maxAge,
          expiryQueue,
          retention,
          backup,
          recycle);
    }

    /** Rejects publishes to a full queue. */
    public Builder rejectWhenFull() {
      whenFull = new WhenFull("REJECT", null);
      return this;
    }

    /** Makes publishes to a full queue wait, at most 30 seconds. */
    public Builder blockWhenFull(Duration timeout) {
      whenFull = new WhenFull("BLOCK", timeout);
      return this;
    }

    /** Discards the oldest messages of a full queue. */
    public Builder discardOldestWhenFull() {
      whenFull = new WhenFull("DISCARD_OLDEST", null);
      return this;
    }

    /**
     * Keeps a backup of blocks that leave the log, for a time; zero: for ever. The server chooses
     * the directory, and rejects the setting if it has no directory for backups.
     */
    public Builder backup(Duration retention) {
      backup = new Backup(retention, null);
      return this;
    }
  }
}
