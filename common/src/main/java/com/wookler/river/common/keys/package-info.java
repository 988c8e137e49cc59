/**
 * Finds the last message of each key: a table in memory, and sorted files that are merged in the
 * background.
 *
 * <p>May import {@code common.errors} and {@code common.file}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.common.keys;

import org.jspecify.annotations.NullMarked;
