package com.wookler.river.rest.client;

/**
 * Figures of a queue.
 *
 * @param messages in the log
 * @param bytes that they take on the disk
 * @param blocks that they stand in
 * @param firstSequence the oldest message that is there
 * @param nextSequence the next message will have it
 * @param lost messages that damage took from the log as it is now
 * @param archived blocks that were put into the backup, since the queue was opened
 * @param backups that there are
 * @param discarded messages that were given up because the queue was full, or too old
 * @param diskFree bytes that are free where the queue stands
 * @param delayed messages that are not due yet
 * @param lostEver messages that were ever lost, restarts included; 0 from an older server
 * @param backupFailures tries to back a block up that have failed since the last backup was made
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
    long backupFailures) {}
