package com.wookler.river.benchmarks.load;

/** A system lost, repeated, mixed up or damaged messages: no figure of it is worth anything. */
final class WrongCountException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongCountException(String message) {
    super(message);
  }
}
