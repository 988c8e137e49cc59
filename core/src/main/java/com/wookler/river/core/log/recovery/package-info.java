/**
 * Makes a log's directory fit to be opened after any end of the last run, and finds out what it
 * holds. Read in this order:
 *
 * <ol>
 *   <li>{@code LogRecovery}: the steps, and what they result in ({@code RecoveredBlock}). {@code
 *       RecoveryInput} is what it is given.
 *   <li>{@code LogFileScan}: which files are there, and which block each of them is.
 *   <li>{@code BlockRecovery}: the blocks in order, from their seals or by {@code BlockContent},
 *       which walks one and adds its documents up in {@code BlockTotals}.
 *   <li>{@code BlockRepair}: a block with torn or damaged documents, found by {@code
 *       DocumentSearch}.
 *   <li>{@code GapFinder}: the sequences that no block holds.
 *   <li>{@code RepairPlan}: the changes of files, made last.
 * </ol>
 *
 * Imports {@code core.log.files}, {@code core.log.chronicle}, {@code common.file}, {@code
 * core.message} and {@code common}.
 */
@NullMarked
package com.wookler.river.core.log.recovery;

import org.jspecify.annotations.NullMarked;
