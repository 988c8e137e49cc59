package com.wookler.river.rest.client;

/**
 * Thrown when the server, or a proxy in front of it, has failed (5xx). The request may have been
 * carried out.
 */
public final class ServerFailedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ServerFailedException(ErrorResponse error) {
    super(error);
  }
}
