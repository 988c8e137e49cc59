package com.wookler.river.core.ack.journal;

/** The condition of a queue's log, by which a subscriber's files may be written. */
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
