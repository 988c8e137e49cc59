package com.wookler.river.forward;

/**
 * How far a queue has forwarded to another one, taken at one moment.
 *
 * @param queue to which it forwards
 * @param position the sequence of the next message that is forwarded
 * @param lag messages that are not in that queue yet
 * @param safe all messages below this sequence are on the device there, or were not to be
 *     forwarded; blocks above it stay
 * @param forwarded messages since the queue was opened
 * @param expired messages since then that expired before they were forwarded
 * @param filtered messages since then that the filter refused
 * @param failed messages since then over which the filter or the mapping failed
 * @param discarded messages since then that the queue gave up before they were forwarded
 * @param waiting why nothing is forwarded now; empty if it does not wait
 */
public record ForwardStats(
    String queue,
    long position,
    long lag,
    long safe,
    long forwarded,
    long expired,
    long filtered,
    long failed,
    long discarded,
    String waiting) {}
