package com.wookler.river.rest.client;

/**
 * Thrown when the server limits the request rate or number (429) for the time that calls are
 * retried. Nothing was done.
 */
public final class TooManyRequestsException extends RiverClientException {
  private static final long serialVersionUID = 1;

  TooManyRequestsException(ErrorResponse error) {
    super(error);
  }
}
