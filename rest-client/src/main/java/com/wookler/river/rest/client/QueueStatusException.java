package com.wookler.river.rest.client;

/**
 * Thrown when the queue's status, such as {@link QueueStatus#READ_ONLY}, does not allow the call
 * (503). Nothing was done, and the call is not retried: that lasts until an operator sets another
 * status ({@link RemoteQueue#status(QueueStatus)}).
 */
public final class QueueStatusException extends RiverClientException {
  private static final long serialVersionUID = 1;

  QueueStatusException(ErrorResponse error) {
    super(error);
  }
}
