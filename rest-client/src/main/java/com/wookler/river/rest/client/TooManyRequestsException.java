package com.wookler.river.rest.client;

/**
 * More is under way than the server allows (429), for longer than calls are repeated. Nothing was
 * done.
 */
public final class TooManyRequestsException extends RiverClientException {
  private static final long serialVersionUID = 1;

  TooManyRequestsException(Refusal refusal) {
    super(refusal);
  }
}
