package com.wookler.river.core.message;

/** What a publish that has returned promises. */
public enum Durability {
  /**
   * In the mapped log: survives the death of the process (kill -9), not of the machine. A
   * background force writes the log to the device at every sync interval (default 200 ms), so that
   * a power loss costs that much and up to 100 ms more.
   */
  MEMORY,

  /**
   * Forced to the device before publish returns. Not available yet: asking for it is an error, it
   * is never weakened to {@link #MEMORY}.
   */
  DISK
}
