/**
 * The backup of a queue: blocks that every subscriber has completed, compressed, verified, and
 * readable in place.
 *
 * <p>A running queue uses {@code Backup}, tools use {@code BackupFiles}. Allowed imports: {@code
 * common.file}, {@code core.log} (times, damage), {@code core.log.files} (blocks, seals), {@code
 * core.log.chronicle} (headers), {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.backup;

import org.jspecify.annotations.NullMarked;
