package com.wookler.river.core;

import com.wookler.river.core.message.QueueStatus;

/**
 * What a queue holds, taken at one moment.
 *
 * @param messages in the log, whether completed or not
 * @param bytes of the log in use
 * @param blocks files with messages, and the active one; not those made ahead
 * @param firstSequence of the oldest message in the log; {@code nextSequence} if there is none
 * @param nextSequence that the next message gets
 * @param lost messages that damage or a power loss has taken from the log, found when it was opened
 *     or when a subscriber came to them, each counted once, as long as the log has the blocks
 *     around them; and delayed messages that were lost with their files
 * @param archived blocks that have left the log for the backup since the queue was opened; not
 *     those that were deleted without one
 * @param backups blocks in the backup directory
 * @param discarded messages discarded since the queue was opened, by {@link
 *     FullPolicy#DISCARD_OLDEST} or by a retention, before a subscriber had completed them, counted
 *     once for each such subscriber. While there is no subscriber a message is counted once, when
 *     its block leaves the log; one that is still there when a subscriber is made that would begin
 *     with it counts as that one's
 * @param diskFree bytes that the queue's volume has free
 * @param delayed messages that wait until they are due; one that was just published may be missing
 * @param lostEver messages that were ever known to be lost, each counted once, restarts included;
 *     it never becomes less as long as the queue has its {@code damage.log}
 * @param backupFailures tries to back a block up that have failed since the last backup was made
 * @param unusedSubscribers that are not in use and hold more of the log than {@link
 *     MessageQueue.Builder#unusedBlocks} and {@link MessageQueue.Builder#unusedAge} say
 * @param removed messages in log and backups, and delayed ones, that were removed one by one
 * @param status of the queue
 * @param unusedSeconds for which the queue has been empty and not in use; see {@link
 *     MessageQueue.Builder#expiresAfter}
 * @param compacted messages that were removed since the queue was opened because a later one has
 *     their key, or because the key was deleted
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
    QueueStatus status,
    long unusedSeconds,
    long compacted) {}
