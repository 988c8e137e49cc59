package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The {@link QueueStatus} of the queue refuses the call, which has changed nothing. It succeeds
 * again once the queue's operator has set another status.
 */
public final class QueueStatusException extends RiverException {
  private static final long serialVersionUID = 1L;
  private final QueueStatus status;

  /** Creates the exception for what a queue, or a subscriber of it, refuses. */
  public QueueStatusException(String who, QueueStatus status, String what) {
    super(who + " has the status " + status + ", which refuses " + what);
    this.status = status;
  }

  /** Returns the status that refused the call. */
  public QueueStatus status() {
    return status;
  }
}
