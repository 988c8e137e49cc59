package com.wookler.river.reactor;

import com.wookler.river.common.errors.RiverException;

/**
 * Thrown by a processor for a message that is of no use, so that another delivery would not help.
 * The message is acknowledged and counted. If the processor was added with {@code
 * ignore.exception=false}, the message fails as after any other exception.
 */
public class NonFatalProcessorException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception that says what is wrong with the message. */
  public NonFatalProcessorException(String message) {
    super(message);
  }

  /** Creates an exception that says what is wrong with the message, and its cause. */
  public NonFatalProcessorException(String message, Throwable cause) {
    super(message, cause);
  }
}
