package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/** The client is closed, or was closed while the call was under way. It may have been done. */
public final class ClientClosedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  ClientClosedException(String message, @Nullable Throwable cause) {
    super(message, cause, true);
  }
}
