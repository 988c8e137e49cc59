/**
 * The log of a queue: a run of blocks, appended to under one lock and read by any number of
 * readers; its recovery, its forces (in the background, and for publishers that wait), and the
 * rules by which blocks recycle.
 *
 * <p>The files of its blocks are those of {@code core.log.chronicle}, the only package that knows
 * Chronicle. Allowed imports: {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.log;

import org.jspecify.annotations.NullMarked;
