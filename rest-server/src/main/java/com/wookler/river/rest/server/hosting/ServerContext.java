package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import java.util.function.BooleanSupplier;

/**
 * Holds the parts that the protocols of a server share.
 *
 * @param queues finds queues and subscribers
 * @param authenticator authenticates callers
 * @param admission limits connections and requests
 * @param polls the polls that wait for messages
 * @param publishes the publishes that wait for capacity
 * @param target stores published messages
 * @param time clock
 * @param stopping returns whether the server is stopping
 */
public record ServerContext(
    QueueResolver queues,
    Authenticator authenticator,
    AdmissionControl admission,
    PollRegistry polls,
    WaitingPublishes publishes,
    PublishTarget target,
    TimeSource time,
    BooleanSupplier stopping) {}
