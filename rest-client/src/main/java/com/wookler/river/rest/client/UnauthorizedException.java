package com.wookler.river.rest.client;

/** The server wants an API key, or does not know the one it was given (401). Nothing was done. */
public final class UnauthorizedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  UnauthorizedException(Refusal refusal) {
    super(refusal);
  }
}
