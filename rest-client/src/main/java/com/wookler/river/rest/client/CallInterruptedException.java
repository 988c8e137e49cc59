package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the thread was interrupted while it waited. Its interrupt flag is set again. The
 * request may have been carried out.
 */
public final class CallInterruptedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  CallInterruptedException(String message, @Nullable Throwable cause) {
    super(message, cause, true);
  }
}
