package com.wookler.river.core;

import java.nio.file.Path;

/**
 * A copy of a queue that ran while it was copied: see {@link MessageQueue#snapshot}.
 *
 * @param directory the queue's directory in the copy
 * @param firstSequence of the oldest message in its log
 * @param nextSequence where its log ends
 * @param copiedBytes the bytes that were copied; what could be linked is not counted
 */
public record QueueSnapshot(
    Path directory, long firstSequence, long nextSequence, long copiedBytes) {}
