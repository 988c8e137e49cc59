package com.wookler.river.examples.utils;

/**
 * Thrown for invalid arguments: its message is printed in one line, and the exit code is 2. Not for
 * errors in the program.
 */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception that says what is wrong with the arguments. */
  public UsageException(String message) {
    super(message);
  }
}
