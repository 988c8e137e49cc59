package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/** No server could be reached, for longer than calls are repeated. Nothing was sent. */
public final class ConnectionException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ConnectionException(String message, @Nullable Throwable cause) {
    super(message, cause, false);
  }
}
