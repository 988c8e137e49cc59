package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * There is no space for the message: the queue holds as much as its limits allow ({@code
 * queue.max.messages}, {@code queue.max.bytes}), or the disk is full, or has no more left than its
 * reserve ({@code queue.disk.reserve}). Of a queue that another {@code QueueEngine} keeps: the
 * engine takes none now, as it does not answer or refuses access. Nothing of the message, or the
 * batch, was stored.
 *
 * <p>The text names the queue, and what to do. Lack of space on the disk is also logged, and
 * reported to {@code QueueListener.full}, once a minute at most. The queue continues: subscribers
 * read and acknowledge, drained blocks are removed, and publishing succeeds again as soon as there
 * is space.
 */
public final class QueueFullException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public QueueFullException(String message) {
    super(message);
  }

  /** Creates the exception; the message names the queue and what to do. */
  public QueueFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
