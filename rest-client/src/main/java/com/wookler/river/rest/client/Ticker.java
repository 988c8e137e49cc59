package com.wookler.river.rest.client;

/** The one place where this module asks for the time: it has no other of River's to ask. */
final class Ticker {
  private Ticker() {}

  /** Nanoseconds from some moment on, never going back. */
  static long nanos() {
    return System.nanoTime();
  }
}
