package com.wookler.river.rest.client;

/**
 * Thrown when the server requires an API key, or does not know the one that was sent (401). Nothing
 * was done.
 */
public final class UnauthorizedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  UnauthorizedException(ErrorResponse error) {
    super(error);
  }
}
