package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * This delivery no longer decides over its message: it timed out and was delivered again, or was
 * finished by another receipt, released, or voided by a seek or by closing the subscriber. Nothing
 * was changed.
 */
public final class StaleReceiptException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** With a text that names the queue and what to do. */
  public StaleReceiptException(String message) {
    super(message);
  }
}
