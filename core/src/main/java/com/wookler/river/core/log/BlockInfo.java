package com.wookler.river.core.log;

/**
 * What a block holds: one data file of a queue's log.
 *
 * <p>A view of the block while the log grows, valid during the call that it is handed to.
 */
public interface BlockInfo {
  /** Returns its number; a queue's blocks count up from 1. */
  int number();

  /** Returns the sequence of its first message, or of the message that would be its first. */
  long firstSequence();

  /** Returns how many messages it holds. */
  long messages();

  /** Returns the bytes of its messages with their envelopes; its file also holds an index. */
  long bytes();

  /** Nanoseconds since its first message was published; 0 while it has none. */
  long ageNanos();
}
