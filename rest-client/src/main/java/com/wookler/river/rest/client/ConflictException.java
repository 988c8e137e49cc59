package com.wookler.river.rest.client;

/** It does not fit what is there, such as a queue with other settings (409). Nothing was done. */
public final class ConflictException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ConflictException(Refusal refusal) {
    super(refusal);
  }
}
