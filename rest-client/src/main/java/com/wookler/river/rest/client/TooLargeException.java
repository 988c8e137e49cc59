package com.wookler.river.rest.client;

/**
 * Thrown when the message, batch or request is larger than the server accepts (413, 414, 431).
 * Nothing was done.
 */
public final class TooLargeException extends RiverClientException {
  private static final long serialVersionUID = 1;

  TooLargeException(ErrorResponse error) {
    super(error);
  }
}
