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
   * On the device: survives the end of the power. Publishes that wait at the same time share one
   * force, so the rate grows with their number: many threads, or {@code putAsync} with many under
   * way. A force that fails is an error to each that waits for it, and stops the queue.
   */
  DISK
}
