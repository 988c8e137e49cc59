package com.wookler.river.common.errors;

import java.io.Serial;

/**
 * Base of every exception of River. Unchecked; the message says what failed and what can be done.
 */
public class RiverException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** An error with what went wrong and where. */
  public RiverException(String message) {
    super(message);
  }

  /** An error with what went wrong and where, and the failure underneath. */
  public RiverException(String message, Throwable cause) {
    super(message, cause);
  }
}
