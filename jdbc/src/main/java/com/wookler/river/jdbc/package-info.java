/**
 * Transfers messages to and from a user's own database. To it: a subscriber's position is kept
 * there, in the same transaction as what is made of the messages. From it: messages are written
 * there in the user's transaction, and moved into a queue.
 *
 * <p>Allowed imports: {@code core}, {@code core.subscriber}, {@code core.message} and {@code
 * common}; {@code java.sql} and no driver.
 */
@NullMarked
package com.wookler.river.jdbc;

import org.jspecify.annotations.NullMarked;
