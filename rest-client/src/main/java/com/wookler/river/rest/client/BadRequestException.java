package com.wookler.river.rest.client;

/**
 * The server refuses the request as wrong (400); {@link #field} says what of it. Nothing was done.
 */
public final class BadRequestException extends RiverClientException {
  private static final long serialVersionUID = 1;

  BadRequestException(Refusal refusal) {
    super(refusal);
  }
}
