package com.wookler.river.rest.client;

/**
 * The message, batch or request is larger than the server takes (413, 414, 431). Nothing was done.
 */
public final class TooLargeException extends RiverClientException {
  private static final long serialVersionUID = 1;

  TooLargeException(Refusal refusal) {
    super(refusal);
  }
}
