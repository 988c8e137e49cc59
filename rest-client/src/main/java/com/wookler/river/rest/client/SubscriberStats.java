package com.wookler.river.rest.client;

/**
 * Statistics of a subscriber.
 *
 * @param lag messages in the log that are not completed
 * @param inFlight messages delivered, not completed and not timed out
 * @param ackFloor the low watermark: the lowest sequence that is not completed
 * @param oldestUnfinishedAgeMillis age of the message at the low watermark; 0: there is none
 * @param windowUsed how far above the low watermark the subscriber has read
 * @param holes messages in this range that are not completed
 * @param delivered deliveries since it was opened, redeliveries included
 * @param acked messages acknowledged since it was opened
 * @param redelivered deliveries since it was opened whose attempt is 2 or more
 * @param dead messages that became dead letters since it was opened
 * @param deadDropped dead letters deleted because of their number or age since it was opened
 * @param filtered messages that its filter rejected since it was opened
 * @param expired messages that expired before they were completed, since it was opened
 * @param discarded messages that the queue discarded before they were completed, since it was
 *     opened
 * @param removed messages that were removed before they were completed, since it was opened
 * @param paused whether deliveries are stopped, by {@link RemoteSubscriber#pause} or by the failure
 *     of a processor at the server
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
    long discarded,
    long removed,
    boolean paused) {}
