/**
 * Keeps the blocks of a log in files of a Chronicle queue. The only package that knows Chronicle:
 * its classes, and the bytes that it writes.
 *
 * <ul>
 *   <li>{@code BlockStore} is what the log appends to and maps blocks by; {@code ChronicleStore}
 *       does it with a Chronicle queue, whose cycles are the blocks. {@code InPlaceAppender} writes
 *       the documents themselves.
 *   <li>{@code DocumentHeader} and {@code ChronicleHeader} are the layout of a block's file, for
 *       all that reads or repairs one without the store; {@code ChronicleHeaderCheck} proves the
 *       second.
 * </ul>
 *
 * Imports {@code core.message}, {@code common.file}, {@code common} and {@code common.errors}.
 */
@NullMarked
package com.wookler.river.core.log.chronicle;

import org.jspecify.annotations.NullMarked;
