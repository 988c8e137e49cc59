package com.wookler.river.rest.client;

/**
 * Where a subscriber stands.
 *
 * @param lag messages in the log that it has not finished
 * @param inFlight handed over, not finished, not timed out
 * @param ackFloor the lowest sequence that it has not finished
 * @param oldestUnfinishedAgeMillis how long ago the message there was published; 0: there is none
 * @param windowUsed how far above the floor it has read
 * @param holes messages among those that are not finished
 * @param delivered hand-overs since it was opened, further ones included
 * @param acked messages acknowledged since it was opened
 * @param redelivered hand-overs since it was opened whose attempt is 2 or more
 * @param dead messages that became dead letters since it was opened
 * @param deadDropped dead letters dropped for their number or age since it was opened
 * @param filtered messages that its filter refused since it was opened
 * @param expired messages since it was opened that expired before it had finished them
 * @param discarded messages since it was opened that the queue gave up before it had finished them
 */
public record SubscriberStats(
    long lag,
    int inFlight,
    long ackFloor,
    long oldestUnfinishedAgeMillis,
    int windowUsed,
    int holes,
    long delivered,
    long acked,
    long redelivered,
    long dead,
    long deadDropped,
    long filtered,
    long expired,
    long discarded) {}
