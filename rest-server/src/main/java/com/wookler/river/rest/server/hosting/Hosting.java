package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import java.util.function.BooleanSupplier;

/**
 * Holds what the protocols of a server share: each answers requests from these parts, and none
 * knows of another.
 *
 * @param queues finds queues and subscribers
 * @param callers knows callers by their keys
 * @param load limits what is under way
 * @param polls those that wait for messages
 * @param publishes those that wait for room
 * @param sink stores what is published
 * @param time clock
 * @param stopping returns whether the server ends
 */
public record Hosting(
    QueueResolver queues,
    Callers callers,
    Load load,
    Polls polls,
    WaitingPublishes publishes,
    Sink sink,
    TimeSource time,
    BooleanSupplier stopping) {}
