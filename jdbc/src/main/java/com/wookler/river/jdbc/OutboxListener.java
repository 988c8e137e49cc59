package com.wookler.river.jdbc;

/**
 * Hears what happens to an {@link OutboxRelay}.
 *
 * <p>Called on the relay's thread, which waits for it. An exception is logged and changes nothing.
 */
public interface OutboxListener {
  /** Messages are durable in the queue and deleted from the table. */
  default void moved(long messages) {}

  /**
   * No messages can be moved: the database is away, a table is missing, the queue is full or
   * refuses a message. Called once, with the text of the first failure, until {@link #resumed}.
   */
  default void failed(String why) {}

  /** Messages can be moved again. */
  default void resumed() {}
}
