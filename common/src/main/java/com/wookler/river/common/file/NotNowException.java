package com.wookler.river.common.file;

import java.io.IOException;

/**
 * Something could not be begun, such as for want of a descriptor, and nothing was done or lost by
 * it: it is tried again.
 */
public final class NotNowException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Something could not be begun. */
  public NotNowException(String message, Throwable cause) {
    super(message + ": " + cause, cause);
  }
}
