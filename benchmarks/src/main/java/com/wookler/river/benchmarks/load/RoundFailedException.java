package com.wookler.river.benchmarks.load;

/** A round failed, and with it the run. */
final class RoundFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  RoundFailedException(Request request, String what) {
    super(request.system() + " failed at " + request.line() + ": " + what);
  }
}
