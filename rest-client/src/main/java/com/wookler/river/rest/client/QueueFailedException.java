package com.wookler.river.rest.client;

/**
 * The queue has failed on the server (503), and works again after a restart. It may have been done.
 */
public final class QueueFailedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  QueueFailedException(Refusal refusal) {
    super(refusal);
  }
}
