package com.wookler.river.core.subscriber;

import java.time.Duration;

/**
 * The figures of a subscriber, taken at one moment.
 *
 * @param lag messages in the log that it has not completed, and that are not dead letters; {@link
 *     #UNKNOWN} of a reactor's source that does not tell it
 * @param inFlight delivered, not completed, not timed out
 * @param ackFloor the lowest sequence that it has not completed
 * @param oldestUnfinishedAge how long ago the message there was published; zero if there is none,
 *     or if it cannot be read
 * @param windowUsed how far above the low watermark it has read: at {@link SubscriberConfig#window}
 *     nothing new is read until the low watermark moves
 * @param holes messages among those that are not completed: in flight, waiting for a further
 *     delivery or for their key, or on their way to a dead letter
 * @param waiting messages among those that wait for their key, see {@link Order#KEY}
 * @param delivered deliveries since it was opened, further ones included
 * @param acked messages acknowledged since it was opened
 * @param redelivered deliveries since it was opened whose attempt is 2 or more
 * @param dead messages that became dead letters since it was opened
 * @param deadDropped dead letters dropped since it was opened, because there were more than {@link
 *     SubscriberConfig#deadLetterLimit} or they were older than {@link
 *     SubscriberConfig#deadLetterAge}
 * @param filtered messages that its filter refused since it was opened
 * @param expired messages since it was opened that expired before it had completed them
 * @param discarded messages since it was opened that the queue discarded before it had completed
 *     them
 * @param removed messages since it was opened that were removed before it had completed them
 * @param paused whether deliveries are stopped: {@link Subscriber#pause}, also by a reactor's
 *     policy
 */
public record SubscriberStats(
    long lag,
    int inFlight,
    long ackFloor,
    Duration oldestUnfinishedAge,
    int windowUsed,
    int holes,
    int waiting,
    long delivered,
    long acked,
    long redelivered,
    long dead,
    long deadDropped,
    long filtered,
    long expired,
    long discarded,
    long removed,
    boolean paused) {
  /** The lag of a source of another engine that does not tell it. */
  public static final long UNKNOWN = -1;
}
