package com.wookler.river.core.subscriber;

import com.wookler.river.common.counters.AbstractCounter;

/**
 * Where a subscriber counts; each is written under the subscriber's lock only.
 *
 * @param reads deliveries of all queues
 * @param storeReads deliveries of this queue
 * @param acks acknowledgements of all queues
 * @param readTime time of a poll that delivered, sampled
 */
public record SubscriberCounters(
    AbstractCounter reads,
    AbstractCounter storeReads,
    AbstractCounter acks,
    AbstractCounter readTime) {}
