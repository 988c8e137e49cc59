package com.wookler.river.rest.client;

/** Thrown when the API key does not permit the request (403). Nothing was done. */
public final class ForbiddenException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ForbiddenException(ErrorResponse error) {
    super(error);
  }
}
