package com.wookler.river.rest.client;

/** Stored bytes are not what was published (503), until the subscriber is moved past them. */
public final class DamagedMessageException extends RiverClientException {
  private static final long serialVersionUID = 1;

  DamagedMessageException(Refusal refusal) {
    super(refusal);
  }
}
