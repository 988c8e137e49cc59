/**
 * Finds the last message of each key: a table in memory, and sorted files that are merged in the
 * background.
 *
 * <p>May import {@code common.errors}, {@code common.file} and the exceptions of {@code
 * core.message}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.core.keys;

import org.jspecify.annotations.NullMarked;
