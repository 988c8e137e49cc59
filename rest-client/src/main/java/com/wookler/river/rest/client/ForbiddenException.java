package com.wookler.river.rest.client;

/** The API key may not do this (403). Nothing was done. */
public final class ForbiddenException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ForbiddenException(Refusal refusal) {
    super(refusal);
  }
}
