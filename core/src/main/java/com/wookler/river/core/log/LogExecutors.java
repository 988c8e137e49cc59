package com.wookler.river.core.log;

import com.wookler.river.common.WorkerPool;

/**
 * The lines on which a log's work is done beside its callers.
 *
 * @param flusher the background force and seals, in order with the ledgers' work
 * @param committer forces that publishers wait for, so that they wait for nothing else of the queue
 * @param maker makes blocks ahead
 * @param toucher touches their pages, which cannot wait until a block is made
 */
public record LogExecutors(
    WorkerPool.Serial flusher,
    WorkerPool.Serial committer,
    WorkerPool.Serial maker,
    WorkerPool.Serial toucher) {}
