package com.wookler.river.benchmarks.harness;

/** What was asked for makes no sense; the message is all that the user needs. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates it with the one line that is printed. */
  public UsageException(String message) {
    super(message);
  }
}
