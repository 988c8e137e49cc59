package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * The request was sent, and no answer came that says what became of it, for longer than calls are
 * repeated. It may have been done.
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

  /** Returns the server that knows whether it was done; null if that is not known. */
  @Nullable Server server() {
    return server;
  }
}
