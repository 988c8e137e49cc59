package com.wookler.river.core.keys;

/** The messages that are indexed: those of the log, and of the backups before it. Thread-safe. */
public interface KeySource {
  /** Returns the sequence after the last message. */
  long end();

  /** Returns the oldest sequence that can be read. */
  long first();

  /**
   * Passes the keys of a bounded number of messages to a sink; messages that are lost, damaged or
   * without a key are left out.
   *
   * @param from the first of them
   * @param to at most {@link #end}
   * @return the sequence at which to continue; above {@code from}, or equal to it if its block has
   *     just moved to a backup
   */
  long read(long from, long to, Sink sink);

  /**
   * Returns when all messages below a sequence are on the device.
   *
   * @throws com.wookler.river.common.errors.RiverException the device refused
   */
  void force(long end);

  @FunctionalInterface
  interface Sink {
    /** Takes the key of a message; called in the order of sequences. */
    void key(long sequence, String key);
  }
}
