/**
 * Reads a queue's directory or its backups from outside: verifies every byte, lists the content,
 * extracts the messages, and creates a directory from them. Nothing here opens a queue or takes its
 * lock, and only {@code QueueEraser} writes into what it reads.
 *
 * <p>Allowed imports: all packages of core but {@code core} itself, and {@code common}.
 */
@NullMarked
package com.wookler.river.tools.inspect;

import org.jspecify.annotations.NullMarked;
