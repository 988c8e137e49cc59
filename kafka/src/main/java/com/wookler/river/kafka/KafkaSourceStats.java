package com.wookler.river.kafka;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KafkaSource} has done.
 *
 * @param stored messages that it has stored since it was started
 * @param skipped records that the queue had already
 * @param refused records that no message could be made of, or that the queue refused, and that were
 *     left out
 * @param lag records of its partitions that it has not stored, as far as its last answers tell
 * @param failures failures since it was started
 * @param failure why no messages can be transferred now, or null
 * @param awaySince since when, or null
 * @param stopped whether it has ended for good, because it or its queue was closed
 */
public record KafkaSourceStats(
    long stored,
    long skipped,
    long refused,
    long lag,
    long failures,
    @Nullable String failure,
    @Nullable Instant awaySince,
    boolean stopped) {}
