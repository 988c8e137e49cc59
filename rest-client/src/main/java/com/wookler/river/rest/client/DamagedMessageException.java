package com.wookler.river.rest.client;

/**
 * Thrown when stored bytes are damaged (503). It is thrown again until the subscriber is moved past
 * them.
 */
public final class DamagedMessageException extends RiverClientException {
  private static final long serialVersionUID = 1;

  DamagedMessageException(ErrorResponse error) {
    super(error);
  }
}
