/**
 * Looks at a queue's directory or its backups from outside: proves every byte, says what is there,
 * takes the messages out, and makes a directory of them again. Nothing here opens a queue, takes
 * its lock, or writes into what it looks at.
 *
 * <p>Allowed imports: {@code core.subscriber} (stored settings), {@code core.ack}, {@code
 * core.backup}, {@code core.log}, {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.inspect;

import org.jspecify.annotations.NullMarked;
