package com.wookler.river.rest.client;

/** The server, or something in front of it, has failed (5xx). It may have been done. */
public final class ServerFailedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ServerFailedException(Refusal refusal) {
    super(refusal);
  }
}
