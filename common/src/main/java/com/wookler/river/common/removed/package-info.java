/**
 * Which messages were removed one by one, and the files that keep it.
 *
 * <p>May import {@code common.errors} and {@code common.file}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.common.removed;

import org.jspecify.annotations.NullMarked;
