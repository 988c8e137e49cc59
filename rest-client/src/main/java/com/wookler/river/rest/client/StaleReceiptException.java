package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * A delivery can no longer be decided over: the message was delivered again, finished otherwise, or
 * its subscriber moved. Nothing has changed for it.
 */
public final class StaleReceiptException extends RiverClientException {
  private static final long serialVersionUID = 1;

  StaleReceiptException(String message, @Nullable Throwable cause) {
    super(message, cause, false);
  }
}
