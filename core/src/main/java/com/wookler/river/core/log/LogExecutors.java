package com.wookler.river.core.log;

import com.wookler.river.common.WorkerPool;

/**
 * The serial executors on which a log's background work runs.
 *
 * @param flusher the background force and seals, in order with the ledgers' forces
 * @param committer forces that publishers wait for, so that they wait for no other work of the
 *     queue
 * @param maker makes blocks ahead
 * @param toucher touches their pages, which cannot wait until a block has been made
 */
public record LogExecutors(
    WorkerPool.Serial flusher,
    WorkerPool.Serial committer,
    WorkerPool.Serial maker,
    WorkerPool.Serial toucher) {}
