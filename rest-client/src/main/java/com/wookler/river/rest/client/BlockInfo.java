package com.wookler.river.rest.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Describes a block of a queue of a server.
 *
 * @param number counted from 1
 * @param state {@code ACTIVE}: it is appended to; {@code CLOSED}: in the log, until every
 *     subscriber has completed it; {@code ARCHIVED}: in the backup alone
 * @param inBackup whether there is a backup of it
 * @param firstSequence of its first message, or of the one that would be its first
 * @param endSequence the one after its last message
 * @param lost how many of its messages a power loss took
 * @param bytes that it uses in the log; of one that is archived, before it was compressed
 * @param backupBytes of its backup; null without one
 * @param firstPublished when its first message was published; null without one
 * @param lastPublished when its last message was published; null without one
 */
public record BlockInfo(
    int number,
    String state,
    boolean inBackup,
    long firstSequence,
    long endSequence,
    int lost,
    long bytes,
    @Nullable Long backupBytes,
    @Nullable Instant firstPublished,
    @Nullable Instant lastPublished) {}
