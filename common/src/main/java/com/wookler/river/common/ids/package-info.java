/**
 * The ids of messages that were published within a queue's window, in memory and in files of their
 * own, so that a repetition is known whatever becomes of the blocks.
 *
 * <p>May import {@code common.errors} and {@code common.file}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.common.ids;

import org.jspecify.annotations.NullMarked;
