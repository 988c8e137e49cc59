package com.wookler.river.ack.journal;

/** The condition of a queue's log, by which a subscriber's files may be written. */
public enum Health {
  /** Everything. */
  SOUND,
  /**
   * Nothing is stored through mappings, because the log has failed: on a volume that became
   * read-only a store fails at any later time. A write through a channel fails at once.
   */
  FAILED,
  /** Nothing may be written: the directory belongs to another process, or was removed. */
  LOST
}
