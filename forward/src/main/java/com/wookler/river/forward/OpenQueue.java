package com.wookler.river.forward;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.transfer.TransferTarget;
import java.util.List;
import java.util.function.Supplier;

/**
 * A queue that runs, as other queues of the JVM see it that transfer messages to it.
 *
 * @param target takes messages of other queues, each once
 * @param transfersTo returns the names of the queues to which it forwards, or that take what
 *     expires in it
 * @param durability returns what its publishes promise
 */
record OpenQueue(
    BlockLog log,
    TransferTarget target,
    Supplier<List<String>> transfersTo,
    Supplier<Durability> durability) {}
