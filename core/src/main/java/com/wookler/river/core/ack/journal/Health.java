package com.wookler.river.core.ack.journal;

/** What may be done to a subscriber's files, which depends on the queue's log. */
public enum Health {
  /** Everything. */
  SOUND,
  /**
   * Nothing is stored through mappings, because the log has failed: the volume may have become
   * read-only, and then the error of a store comes at any later time. What is stored is written
   * through a channel, which says at once whether that is possible.
   */
  FAILED,
  /** Nothing may be written: the directory belongs to another process, or was removed. */
  LOST
}
