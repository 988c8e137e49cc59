/**
 * The log of a queue: a run of blocks in one Chronicle queue, appended to under one lock and read
 * by any number of readers; its recovery, its background force, and the rules by which blocks
 * recycle.
 *
 * <p>The only package that sees {@code net.openhft}. Allowed imports: {@code core.message}, {@code
 * common}.
 */
@NullMarked
package com.wookler.river.core.log;

import org.jspecify.annotations.NullMarked;
