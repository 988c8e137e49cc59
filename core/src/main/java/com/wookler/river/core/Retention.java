package com.wookler.river.core;

import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.files.Seal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Says how long a queue keeps what no subscriber has completed; immutable.
 *
 * <p>A retention takes whole closed blocks out of the log, the oldest first, as if every subscriber
 * had completed them: into the backup where there is one. It does so when one of its limits says
 * that the block may go: all its messages are older than the age, or without it the log would still
 * hold as many bytes, or messages, as are to be kept. The active block never goes; a {@link
 * TimeBasedRecycle} closes that of an idle queue.
 *
 * <p>By itself it touches no message that a subscriber has not completed: it is for queues without
 * subscribers, whose blocks would stay for good. With {@link #removingUnfinished} it does; each
 * subscriber that loses messages continues after them, also one that is closed, and they are
 * counted ({@link QueueStats#discarded}).
 */
public final class Retention {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  static final Retention NONE = new Retention(Duration.ZERO, Long.MAX_VALUE, Long.MAX_VALUE, false);

  private final Duration age; // zero: any
  private final long bytes; // the greatest: any
  private final long messages; // the greatest: any
  private final boolean unfinished;

  private Retention(Duration age, long bytes, long messages, boolean unfinished) {
    this.age = age;
    this.bytes = bytes;
    this.messages = messages;
    this.unfinished = unfinished;
  }

  /** Removes a block when its last message was published longer ago than this positive time. */
  public static Retention ofAge(Duration age) {
    return NONE.withAge(age);
  }

  /**
   * Removes the oldest block when the others have this many bytes, 1 or more; so the log keeps at
   * least these, and at most a block more.
   */
  public static Retention ofBytes(long bytes) {
    return NONE.withBytes(bytes);
  }

  /**
   * Removes the oldest block when the others hold this many messages, 1 or more; so the log keeps
   * at least these, and at most a block more.
   */
  public static Retention ofMessages(long messages) {
    return NONE.withMessages(messages);
  }

  /** Returns the same with a limit by {@link #ofAge age} too; whichever comes first counts. */
  public Retention withAge(Duration limit) {
    return new Retention(Objects.requireNonNull(limit, "limit"), bytes, messages, unfinished);
  }

  /** Returns the same with a limit by {@link #ofBytes bytes} too; whichever comes first counts. */
  public Retention withBytes(long limit) {
    return new Retention(age, limit, messages, unfinished);
  }

  /** Returns the same with a limit by {@link #ofMessages} too; whichever comes first counts. */
  public Retention withMessages(long limit) {
    return new Retention(age, bytes, limit, unfinished);
  }

  /** Returns the same, also for messages that a subscriber has not completed. */
  public Retention removingUnfinished() {
    return new Retention(age, bytes, messages, true);
  }

  boolean removesUnfinished() {
    return unfinished;
  }

  static Retention of(Settings settings) {
    return new Retention(
        settings.get(QueueOptions.RETENTION_AGE),
        settings.get(QueueOptions.RETENTION_BYTES),
        settings.get(QueueOptions.RETENTION_MESSAGES),
        settings.is(QueueOptions.RETENTION_UNFINISHED));
  }

  Settings in(Settings settings) {
    return settings
        .with(QueueOptions.RETENTION_AGE, age)
        .with(QueueOptions.RETENTION_BYTES, bytes)
        .with(QueueOptions.RETENTION_MESSAGES, messages)
        .with(QueueOptions.RETENTION_UNFINISHED, unfinished);
  }

  boolean isNone() {
    return age.isZero() && bytes == Long.MAX_VALUE && messages == Long.MAX_VALUE;
  }

  /** Returns whether the oldest block may go, of what the log holds, that block included. */
  boolean isOver(Seal oldest, Held held, long ageMicros) {
    return isOld(ageMicros)
        || (messages != Long.MAX_VALUE && held.messages() - oldest.messages() >= messages)
        || (bytes != Long.MAX_VALUE && held.bytes() - oldest.bytes() >= bytes);
  }

  private boolean isOld(long ageMicros) {
    return !age.isZero()
        && age.compareTo(LONGEST) < 0
        && ageMicros > TimeUnit.NANOSECONDS.toMicros(age.toNanos());
  }

  record Held(long messages, long bytes) {}
}
