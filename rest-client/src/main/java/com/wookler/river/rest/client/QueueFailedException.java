package com.wookler.river.rest.client;

/**
 * Thrown when the queue has failed on the server (503), and needs a restart. The request may have
 * been carried out.
 */
public final class QueueFailedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  QueueFailedException(ErrorResponse error) {
    super(error);
  }
}
