package com.wookler.river.rest.client;

/**
 * Thrown when the response is not one of this version of River: it comes from a proxy, another kind
 * of server, or a version that is too old or too new. The request may have been carried out.
 */
public final class IncompatibleServerException extends RiverClientException {
  private static final long serialVersionUID = 1;

  IncompatibleServerException(ErrorResponse error) {
    super(error);
  }
}
