/**
 * Holds the forms of the files in a log's directory, and reads them without opening the log.
 *
 * <ul>
 *   <li>Names: {@code LogFiles}, {@code BlockName}.
 *   <li>A block: {@code BlockStart}, its first document, and {@code Seal}, beside it. {@code
 *       BlockWalk} reads its documents, from a stream or through a {@code FileWindow}; {@code
 *       BlockFile} does so while its owner appends. {@code ContentCheck} verifies them.
 *   <li>Beside the blocks: {@code LogMarks}, {@code Gaps}, {@code ClockSteps}.
 * </ul>
 *
 * Imports {@code core.log.chronicle}, {@code common.file}, {@code core.message} and {@code common}.
 */
@NullMarked
package com.wookler.river.core.log.files;

import org.jspecify.annotations.NullMarked;
