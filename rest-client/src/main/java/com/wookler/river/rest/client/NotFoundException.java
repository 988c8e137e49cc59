package com.wookler.river.rest.client;

/** Thrown when the queue, subscriber or message does not exist (404). Nothing was done. */
public final class NotFoundException extends RiverClientException {
  private static final long serialVersionUID = 1;

  NotFoundException(ErrorResponse error) {
    super(error);
  }
}
