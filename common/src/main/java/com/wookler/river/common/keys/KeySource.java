package com.wookler.river.common.keys;

/** The messages that are indexed: those of the log, and of the backups before it. Thread-safe. */
public interface KeySource {
  /** Returns the sequence after the last message. */
  long end();

  /** Returns the oldest sequence that can be read. */
  long first();

  /**
   * Passes the keys of a bounded number of messages from {@code from} up to {@code to} to a sink,
   * without those that are lost, damaged or have no key. Returns the sequence at which to continue;
   * {@code from} if its block has just moved to a backup.
   */
  long read(long from, long to, Sink sink);

  /** Returns when all messages below a sequence are on the device, or throws. */
  void force(long end);

  @FunctionalInterface
  interface Sink {
    /** Takes the key of a message; called in the order of sequences. */
    void key(long sequence, String key);
  }
}
