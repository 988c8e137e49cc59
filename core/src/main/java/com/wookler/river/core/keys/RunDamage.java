package com.wookler.river.core.keys;

/** A run is not what was written, or not this queue's. */
final class RunDamage extends Exception {
  private static final long serialVersionUID = 1L;

  RunDamage(String what) {
    super(what);
  }

  RunDamage(String what, Throwable cause) {
    super(what, cause);
  }

  String what() {
    return String.valueOf(getMessage());
  }
}
