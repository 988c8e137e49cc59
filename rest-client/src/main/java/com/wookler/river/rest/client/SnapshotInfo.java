package com.wookler.river.rest.client;

/**
 * A copy of a queue on the server's disk; see {@link RemoteQueue#snapshot}.
 *
 * @param name of the copy, below the directory that the server's settings say
 * @param firstSequence of the oldest message in its log
 * @param nextSequence where its log ends
 * @param copiedBytes the bytes that were copied; what could be linked is not counted
 */
public record SnapshotInfo(String name, long firstSequence, long nextSequence, long copiedBytes) {}
