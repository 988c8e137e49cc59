package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The queue has stopped because its disk or its log failed; what was being published then may or
 * may not be stored.
 */
public final class QueueFailedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** With a text that names the queue and what to do. */
  public QueueFailedException(String message) {
    super(message);
  }

  /** With a text that names the queue and what to do, and the error that led here. */
  public QueueFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
