/**
 * The log of a queue: a series of blocks, appended to under one lock and read by any number of
 * readers. {@code BlockLog} is its interface. Read the flows in this order:
 *
 * <ol>
 *   <li><b>Append</b>: {@code PublishBuffer}, {@code BlockLog.append}, {@code Block} and {@code
 *       Blocks}, {@code BlockLimit} with the user's {@code RecycleStrategy}, {@code StoredTimes}.
 *   <li><b>Space</b>: {@code Capacity} for the limits of the queue. For the disk {@code
 *       Preallocation}, which has {@code BlockSpace} for the active block, {@code Preallocator} for
 *       the next one, {@code PageToucher} and {@code Volume}.
 *   <li><b>Force</b>: {@code BlockForcer} with {@code BlockView}, {@code LogForce} for the common
 *       {@code GroupCommit}; {@code LogFailure} and {@code Ownership}, after which nothing is
 *       written.
 *   <li><b>Read</b>: {@code LogReader}, which has {@code BlockSearch} and {@code BlockCursor};
 *       {@code SequentialReader}; the common {@code Waiters} for consumers that find nothing.
 *   <li><b>Read around damage</b>: {@code BlockScan} finds what is valid, {@code BlockScans} keeps
 *       it, {@code DamagedBlockReader} reads it; {@code DamageReporter} reports the rest in {@code
 *       DamageLog}.
 *   <li><b>Without a queue</b>: {@code QueueIdentity}, {@code SideFiles} and {@code BlockWriter},
 *       for the tools.
 * </ol>
 *
 * <p>{@code core.log.recovery} runs before the log is opened, {@code core.log.files} has the forms
 * of its files, {@code core.log.chronicle} alone knows Chronicle. Allowed imports: these, {@code
 * common.file}, {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.log;

import org.jspecify.annotations.NullMarked;
