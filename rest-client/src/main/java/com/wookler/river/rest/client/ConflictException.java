package com.wookler.river.rest.client;

/**
 * Thrown when the request conflicts with the state of the server, such as a queue with other
 * settings (409). Nothing was done.
 */
public final class ConflictException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ConflictException(ErrorResponse error) {
    super(error);
  }
}
