package com.wookler.river.examples.utils;

/**
 * What was asked for cannot be done: its message is shown in one line, and the exit code is 2. Not
 * for faults of the program.
 */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With what is wrong, in words that the user knows. */
  public UsageException(String message) {
    super(message);
  }
}
