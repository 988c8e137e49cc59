/**
 * The log of a queue: a run of blocks in one Chronicle queue, appended to under one lock and read
 * by any number of readers; its recovery, its forces (in the background, and for publishers that
 * wait), and the rules by which blocks recycle.
 *
 * <p>The only package that sees {@code net.openhft}. Allowed imports: {@code core.message}, {@code
 * common}.
 */
@NullMarked
package com.wookler.river.core.log;

import org.jspecify.annotations.NullMarked;
