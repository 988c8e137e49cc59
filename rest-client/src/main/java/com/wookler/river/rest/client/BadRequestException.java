package com.wookler.river.rest.client;

/**
 * Thrown when the server rejects the request as invalid (400); {@link #field} names the part that
 * is wrong. Nothing was done.
 */
public final class BadRequestException extends RiverClientException {
  private static final long serialVersionUID = 1;

  BadRequestException(ErrorResponse error) {
    super(error);
  }
}
