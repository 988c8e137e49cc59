package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;
import org.jspecify.annotations.Nullable;

/** Another process, or another queue of this one, has the directory open; nothing was touched. */
public final class QueueLockedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public QueueLockedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
