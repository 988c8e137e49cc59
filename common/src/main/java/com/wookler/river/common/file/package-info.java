/**
 * Writes, forces, renames, maps and quarantines the files that River keeps beside its messages, and
 * gives small files their common forms. Knows nothing of queues.
 *
 * <p>Allowed imports: {@code common}, {@code common.errors}.
 */
@NullMarked
package com.wookler.river.common.file;

import org.jspecify.annotations.NullMarked;
