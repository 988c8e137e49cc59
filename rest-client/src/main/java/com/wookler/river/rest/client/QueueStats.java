package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Statistics of a queue.
 *
 * @param messages messages in the log
 * @param bytes bytes on disk of these messages
 * @param blocks blocks that contain these messages
 * @param firstSequence sequence of the oldest stored message
 * @param nextSequence sequence that the next message will have
 * @param lost messages missing in the current log because of damage
 * @param archived blocks archived to the backup since the queue was opened
 * @param backups number of backups
 * @param discarded messages discarded because the queue was full, or they were too old
 * @param diskFree free bytes on the queue's disk
 * @param delayed messages that are not due yet
 * @param lostEver messages ever lost because of damage, restarts included; 0 from an older server
 * @param backupFailures failed backups of a block since the last successful one
 * @param unusedSubscribers subscribers that are not in use and hold more of the log than {@code
 *     unusedBlocks} or {@code unusedAge} says; 0 from an older server
 * @param removed messages in log and backups that were removed one by one
 * @param status of the queue; null from an older server
 * @param unusedSeconds for which the queue has been empty and not in use; 0 from an older server
 * @param compacted messages removed by compaction since the queue was opened; 0 from an older
 *     server
 */
public record QueueStats(
    long messages,
    long bytes,
    int blocks,
    long firstSequence,
    long nextSequence,
    long lost,
    long archived,
    int backups,
    long discarded,
    long diskFree,
    long delayed,
    long lostEver,
    long backupFailures,
    int unusedSubscribers,
    long removed,
    @Nullable QueueStatus status,
    long unusedSeconds,
    long compacted) {}
