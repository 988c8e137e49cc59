package com.wookler.river.core.log;

/** State derived from a log, which the queue's flusher writes after it has forced the log. */
public interface AfterLog {
  /** Returns whether there is something to write; from any thread. */
  boolean isDirty();

  /** Captures what is to be written, before the log is forced. */
  void capture();

  /** Writes to the device what was captured; what fails is tried again at the next force. */
  void flush();

  /** Leaves what was captured to a later force, because the log could not be forced. */
  void postpone();
}
