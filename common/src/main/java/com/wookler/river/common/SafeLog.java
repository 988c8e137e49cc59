package com.wookler.river.common;

import org.slf4j.Logger;

/** Logs from loops that must continue even if logging fails. */
final class SafeLog {
  private SafeLog() {}

  static void error(Logger log, String message, Throwable failure) {
    try {
      log.error(message, failure);
    } catch (Throwable ignored) {
      // It cannot be reported anywhere, and the thread must continue for the other tasks.
    }
  }
}
