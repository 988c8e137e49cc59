package com.wookler.river.core.log;

/**
 * State that is derived from a log and written once the log has been forced. All but {@link
 * #isDirty} is called on the queue's flusher.
 */
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
