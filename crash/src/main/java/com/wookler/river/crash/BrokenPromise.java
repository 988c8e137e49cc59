package com.wookler.river.crash;

import java.util.Locale;

/** The queue did not do what it had promised; the message says which promise, and where. */
public final class BrokenPromise extends RuntimeException {
  private static final long serialVersionUID = 1;

  BrokenPromise(String message) {
    super(message);
  }

  /** Throws if the condition does not hold. */
  static void unless(boolean condition, String format, Object... arguments) {
    if (!condition) {
      throw new BrokenPromise(String.format(Locale.ROOT, format, arguments));
    }
  }
}
