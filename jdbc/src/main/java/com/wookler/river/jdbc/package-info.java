/**
 * Transfers messages to a user's own database: a subscriber's position is kept there, in the same
 * transaction as what is made of the messages.
 *
 * <p>Allowed imports: {@code core}, {@code core.subscriber}, {@code common.errors}; {@code
 * java.sql} and no driver.
 */
@NullMarked
package com.wookler.river.jdbc;

import org.jspecify.annotations.NullMarked;
