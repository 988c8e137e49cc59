package com.wookler.river.rest.client;

/**
 * The server is starting or stopping (503), or found the request too slow (408), for longer than
 * calls are repeated. Nothing was done.
 */
public final class UnavailableException extends RiverClientException {
  private static final long serialVersionUID = 1;

  UnavailableException(Refusal refusal) {
    super(refusal);
  }
}
