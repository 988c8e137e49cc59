package com.wookler.river.core.ack.journal;

/** What may be done to a subscriber's files, which depends on the queue's log. */
public enum Health {
  /** Everything. */
  SOUND,
  /**
   * Nothing is stored through mappings, because the log has failed: the volume may have become
   * read-only, and then such a store ends in an error at any later place. What is stored is written
   * through a channel, which says at once whether that is possible.
   */
  FAILED,
  /** Nothing may be written: the directory belongs to another process, or is gone. */
  LOST
}
