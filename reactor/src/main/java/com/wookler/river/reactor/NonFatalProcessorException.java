package com.wookler.river.reactor;

import com.wookler.river.common.errors.RiverException;

/**
 * Thrown by a processor over a message that is of no use, where delivering it again would not help:
 * the message is finished and counted, unless the processor was added with {@code
 * ignore.exception=false}; then it fails like over any other exception.
 */
public class NonFatalProcessorException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** With what is wrong with the message. */
  public NonFatalProcessorException(String message) {
    super(message);
  }

  /** With what is wrong with the message, and why. */
  public NonFatalProcessorException(String message, Throwable cause) {
    super(message, cause);
  }
}
