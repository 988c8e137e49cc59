package com.wookler.river.rest.client;

/**
 * The answer is not one of this version of River: another server, a proxy, or one too old or too
 * new. It may have been done.
 */
public final class IncompatibleServerException extends RiverClientException {
  private static final long serialVersionUID = 1;

  IncompatibleServerException(Refusal refusal) {
    super(refusal);
  }
}
