package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * The request was sent, and no answer came that says what became of it, for longer than calls are
 * repeated. It may have been done.
 */
public final class OutcomeUnknownException extends RiverClientException {
  private static final long serialVersionUID = 1;

  OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause, true);
  }
}
