package com.wookler.river.common.errors;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The base of all exceptions of River. Unchecked; the message says what failed and what can be
 * done.
 */
public class RiverException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates an error; the message says what failed and where. */
  public RiverException(String message) {
    super(message);
  }

  /** Creates an error with its cause, if there is one; the message says what failed and where. */
  public RiverException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
