package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The queue's directory is in use by another process, or by another queue object of this one;
 * nothing was touched.
 */
public final class QueueLockedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public QueueLockedException(String message) {
    super(message);
  }

  /** Creates the exception; the message names the queue and what to do. */
  public QueueLockedException(String message, Throwable cause) {
    super(message, cause);
  }
}
