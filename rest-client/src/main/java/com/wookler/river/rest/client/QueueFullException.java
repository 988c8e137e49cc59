package com.wookler.river.rest.client;

/** The queue is full and refuses (429), for longer than calls are repeated. Nothing was stored. */
public final class QueueFullException extends RiverClientException {
  private static final long serialVersionUID = 1;

  QueueFullException(Refusal refusal) {
    super(refusal);
  }
}
