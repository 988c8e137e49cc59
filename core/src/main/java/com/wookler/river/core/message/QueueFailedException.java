package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The queue has stopped because its disk or its log failed: a force was refused, or an append broke
 * off. What was being published then may or may not be stored; it takes no more messages until it
 * is opened anew. Lack of space or of descriptors does not stop it. Of a queue that another {@code
 * QueueEngine} keeps: what was being published may or may not be stored, and it continues.
 */
public final class QueueFailedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public QueueFailedException(String message) {
    super(message);
  }

  /** Creates the exception; the message names the queue and what to do. */
  public QueueFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
