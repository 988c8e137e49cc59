package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the client is closed, or was closed during the call. The request may have been
 * carried out.
 */
public final class ClientClosedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ClientClosedException(String message, @Nullable Throwable cause) {
    super(message, cause, true);
  }
}
