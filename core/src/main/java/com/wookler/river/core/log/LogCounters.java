package com.wookler.river.core.log;

import com.wookler.river.common.counters.AbstractCounter;

/**
 * Where the log counts what it does.
 *
 * @param adds messages appended in all queues; written under the append lock
 * @param storeAdds messages appended to this log; written under the append lock
 * @param writeTime time to append one document, sampled; written under the append lock
 * @param readTime time to read one message, sampled; written by any thread
 */
public record LogCounters(
    AbstractCounter adds,
    AbstractCounter storeAdds,
    AbstractCounter writeTime,
    AbstractCounter readTime) {}
