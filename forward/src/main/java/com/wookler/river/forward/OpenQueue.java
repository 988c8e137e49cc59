package com.wookler.river.forward;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.transfer.TransferTarget;
import java.util.List;

/**
 * A queue that runs, as other queues of the JVM see it that transfer messages to it.
 *
 * @param target takes messages of other queues, each once
 * @param forwardsTo the names of the queues to which it forwards
 */
record OpenQueue(BlockLog log, TransferTarget target, List<String> forwardsTo) {}
