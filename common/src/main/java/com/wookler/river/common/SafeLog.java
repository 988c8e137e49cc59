package com.wookler.river.common;

import org.slf4j.Logger;

/** Logging from loops that have to go on whatever happens, even if the logging itself fails. */
final class SafeLog {
  private SafeLog() {}

  static void error(Logger log, String message, Throwable failure) {
    try {
      log.error(message, failure);
    } catch (Throwable ignored) {
      // Where should it be told? The thread must live on for the other tasks.
    }
  }
}
