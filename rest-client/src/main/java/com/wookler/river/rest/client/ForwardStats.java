package com.wookler.river.rest.client;

/**
 * How far a queue has forwarded to another one.
 *
 * @param position sequence of the message that is forwarded next
 * @param lag messages that are to be passed
 * @param safe all below this sequence is on the target's device, or not for it
 * @param forwarded messages since the queue was opened
 * @param expired messages since then that expired before they were forwarded
 * @param filtered messages since then that the filter refused
 * @param failed messages since then over which filter or mapping failed
 * @param discarded messages since then that the queue gave up
 * @param waiting why nothing is forwarded now; empty if it does not wait
 */
public record ForwardStats(
    long position,
    long lag,
    long safe,
    long forwarded,
    long expired,
    long filtered,
    long failed,
    long discarded,
    String waiting) {}
