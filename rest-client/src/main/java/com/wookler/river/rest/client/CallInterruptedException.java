package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/** The thread was interrupted while it waited, and its flag is set again. It may have been done. */
public final class CallInterruptedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  CallInterruptedException(String message, @Nullable Throwable cause) {
    super(message, cause, true);
  }
}
