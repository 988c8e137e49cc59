package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * The delivery is no longer the latest of its message: that timed out and was delivered again, or
 * was completed by another receipt, released, or voided by a seek or by closing the subscriber.
 * Nothing was changed.
 */
public final class StaleReceiptException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public StaleReceiptException(String message) {
    super(message);
  }
}
