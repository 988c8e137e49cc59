package com.wookler.river.rest.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far a queue has forwarded to another one.
 *
 * @param position sequence of the message that is forwarded next
 * @param lag messages that are to be passed, as far as is known
 * @param safe all below this sequence is on the target's device, or not for it
 * @param forwarded messages since the queue was opened
 * @param expired messages since then that expired before they were forwarded
 * @param filtered messages since then that the filter refused
 * @param failed messages since then over which filter or mapping failed, or that the other side
 *     refused
 * @param discarded messages since then that the queue gave up
 * @param waiting why nothing is forwarded now, as the last error; empty if it does not wait
 * @param awaySince since when the other side does not take messages, or null: it does
 * @param ended whether it passes nothing more
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
    String waiting,
    @Nullable Instant awaySince,
    boolean ended) {}
