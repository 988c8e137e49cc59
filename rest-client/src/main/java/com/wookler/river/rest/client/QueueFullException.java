package com.wookler.river.rest.client;

/** Thrown when the queue is full (429) for the time that calls are retried. Nothing was stored. */
public final class QueueFullException extends RiverClientException {
  private static final long serialVersionUID = 1;

  QueueFullException(ErrorResponse error) {
    super(error);
  }
}
