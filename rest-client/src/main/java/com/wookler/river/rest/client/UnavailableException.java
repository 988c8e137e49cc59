package com.wookler.river.rest.client;

/**
 * Thrown when the server is starting or stopping (503), or the request arrived too slowly (408),
 * for the time that calls are retried. Nothing was done.
 */
public final class UnavailableException extends RiverClientException {
  private static final long serialVersionUID = 1;

  UnavailableException(ErrorResponse error) {
    super(error);
  }
}
