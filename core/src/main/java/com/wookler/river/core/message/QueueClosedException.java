package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The queue or the subscriber was closed before or during the call; a publish that ends so was not
 * stored.
 */
public final class QueueClosedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public QueueClosedException(String message) {
    super(message);
  }

  /** Creates the exception with its cause. */
  public QueueClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
