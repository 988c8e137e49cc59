package com.wookler.river.core.keys;

/** The messages that an index is made of: the log, and the backups before it. Thread-safe. */
public interface KeySource {
  /** Returns the sequence behind the last message. */
  long end();

  /** Returns the oldest sequence that can be read. */
  long first();

  /**
   * Shows the keys of messages in a row, a bounded number of them; what is lost, or damaged, or
   * without a key, is passed over.
   *
   * @param from the first of them
   * @param to below {@link #end}, or it
   * @return the sequence up to which that went; above {@code from}, or equal to it if its block has
   *     just moved to a backup
   */
  long read(long from, long to, Sink sink);

  /**
   * Returns when all messages below a sequence are on the device.
   *
   * @throws com.wookler.river.common.errors.RiverException the device refused
   */
  void force(long end);

  /** Where the keys go. */
  @FunctionalInterface
  interface Sink {
    /** A message's key; in the order of sequences. */
    void key(long sequence, String key);
  }
}
