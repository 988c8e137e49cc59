package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/** Thrown when no server could be reached for the time that calls are retried. Nothing was sent. */
public final class ConnectionException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ConnectionException(String message, @Nullable Throwable cause) {
    super(message, cause, false);
  }
}
