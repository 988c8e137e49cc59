package com.wookler.river.core;

import com.wookler.river.core.message.QueueStatus;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Hears what happens to a queue in the background.
 *
 * <p>Called on a background thread, one call at a time a queue, without a lock held. It should be
 * quick: archiving waits for it. An exception is logged and changes nothing. A queue cannot be
 * closed or deleted from within a call, which {@code close} would wait for: that throws {@link
 * IllegalStateException}; have another thread do it.
 */
public interface QueueListener {
  /** A drained block was compressed into a verified backup, and removed from the log. */
  default void blockArchived(int block, long firstSequence, long messages, Path backup) {}

  /**
   * A drained block could not be backed up, and stays in the log: the directory of the backups
   * cannot be written, say. It is tried again, later and later. Called once, with what the first
   * try met, until a backup has been made and another one fails.
   */
  default void backupFailed(int block, String why) {}

  /**
   * Publishers are refused or wait, because the queue holds as much as its limits allow, or because
   * the disk is full or has no more left than its reserve. Called once, with the text of the first
   * refusal, until publishing has continued and stopped again.
   */
  default void full(String why) {}

  /**
   * A message became a dead letter of the subscriber, on the device, after this number of
   * deliveries.
   */
  default void deadLetter(String subscriber, long sequence, int attempts, String reason) {}

  /**
   * The oldest dead letters of a subscriber were dropped, because there were more than it keeps, or
   * they were older: see {@link
   * com.wookler.river.core.subscriber.SubscriberConfig#deadLetterLimit}. Letters that are redriven
   * or purged are not among them.
   */
  default void deadLettersDropped(String subscriber, long letters) {}

  /**
   * A subscriber has not been in use for a minute or more, and holds more of the log than {@link
   * MessageQueue.Builder#unusedBlocks} or {@link MessageQueue.Builder#unusedAge} says. Called once,
   * until it is in use again.
   *
   * @param blocks how many the log cannot remove before it has completed them
   * @param age of the oldest of them
   */
  default void subscriberUnused(String subscriber, int blocks, Duration age) {}

  /**
   * A subscriber was removed because it was not in use for so long: see {@link
   * com.wookler.river.core.subscriber.SubscriberConfig#expiresAfter}.
   */
  default void subscriberExpired(String subscriber, Duration unused) {}

  /**
   * The queue was closed and deleted because it was empty and not in use for so long: see {@link
   * MessageQueue.Builder#expiresAfter}. The last call of all, on a thread of its own.
   */
  default void queueExpired(Duration unused) {}

  /** The status of the queue was changed. */
  default void statusChanged(QueueStatus before, QueueStatus now) {}

  /**
   * Messages were lost to damage, and subscribers continue after them. Called once for each run of
   * messages, and not again after a restart.
   *
   * @param block its number; -1: they were delayed, and in a file of those
   * @param file its data file; that of its backup if the block has left the log
   * @param firstSequence the first that is lost; -1: nothing is left that says which they were
   */
  default void damaged(int block, Path file, long firstSequence, long messages) {}

  /** The log failed: no further publish succeeds until the queue is opened anew. */
  default void failed(Throwable cause) {}
}
