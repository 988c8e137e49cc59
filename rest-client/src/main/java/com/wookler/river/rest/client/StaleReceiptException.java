package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a delivery can no longer be acknowledged: the message was delivered again or
 * completed otherwise, or its subscriber was moved. Nothing has changed for the message.
 */
public final class StaleReceiptException extends RiverClientException {
  private static final long serialVersionUID = 1;

  StaleReceiptException(String message, @Nullable Throwable cause) {
    super(message, cause, false);
  }
}
