package com.wookler.river.rest.client;

/** There is no such queue, subscriber or message (404). Nothing was done. */
public final class NotFoundException extends RiverClientException {
  private static final long serialVersionUID = 1;

  NotFoundException(Refusal refusal) {
    super(refusal);
  }
}
