package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request was sent and no response came that says whether it was carried out, for the
 * time that calls are retried. It may have been carried out.
 */
public final class OutcomeUnknownException extends RiverClientException {
  private static final long serialVersionUID = 1;

  private final transient @Nullable Server server;

  OutcomeUnknownException(String message, @Nullable Throwable cause) {
    this(message, cause, null);
  }

  OutcomeUnknownException(String message, @Nullable Throwable cause, @Nullable Server server) {
    super(message, cause, true);
    this.server = server;
  }

  /** Returns the server that may have carried the request out; null if it is not known. */
  @Nullable Server server() {
    return server;
  }
}
