package com.wookler.river.core.subscriber;

/**
 * Where a subscriber stands, taken at one moment.
 *
 * @param lag messages in the log that it has not finished
 * @param inFlight handed over, not finished, not timed out
 * @param ackFloor the lowest sequence that it has not finished
 * @param delivered hand-overs since it was opened, further ones included
 * @param acked messages acknowledged since it was opened
 * @param redelivered hand-overs since it was opened whose attempt is 2 or more
 * @param expired messages since it was opened that expired before it had finished them
 * @param discarded messages since it was opened that the queue gave up before it had finished them
 */
public record SubscriberStats(
    long lag,
    int inFlight,
    long ackFloor,
    long delivered,
    long acked,
    long redelivered,
    long expired,
    long discarded) {}
