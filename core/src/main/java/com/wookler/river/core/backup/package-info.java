/**
 * The backup of a queue: blocks that every subscriber has completed, compressed, verified, and
 * readable in place.
 *
 * <p>{@code Backup} is what a running queue sees of it, {@code BackupFiles} who looks from outside.
 * Allowed imports: {@code core.log} (seals, block format, durable files), {@code core.message},
 * {@code common}.
 */
@NullMarked
package com.wookler.river.core.backup;

import org.jspecify.annotations.NullMarked;
