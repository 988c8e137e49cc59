package com.wookler.river.core.transfer;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.BlockLog;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * A queue at one end of a transfer.
 *
 * @param identity under which targets know it
 * @param base the directory of all queues between which messages are transferred
 * @param delivers returns whether the queue gives messages out now, by its status
 */
public record Endpoint(
    String queue,
    UUID identity,
    Path base,
    Path directory,
    BlockLog log,
    TimeSource time,
    BooleanSupplier delivers) {}
