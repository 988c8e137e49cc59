package com.wookler.river.kafka;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KafkaForwarder} has done, and what waits for it.
 *
 * @param sent messages that it has transferred since it was started
 * @param rejected messages that Kafka refused since then, which are dead letters
 * @param skipped messages that the topic had already, found after a restart or a failure
 * @param lag messages of the queue that wait
 * @param position see {@link KafkaForwarder#position}
 * @param failures failures since it was started
 * @param failure why no messages can be transferred now, or null
 * @param awaySince since when, or null
 * @param stopped whether it has ended for good, because it was closed, its queue was, or another
 *     forwarder has taken over
 */
public record KafkaForwarderStats(
    long sent,
    long rejected,
    long skipped,
    long lag,
    long position,
    long failures,
    @Nullable String failure,
    @Nullable Instant awaySince,
    boolean stopped) {}
