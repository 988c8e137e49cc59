package com.wookler.river.core.subscriber;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Distribution;

/**
 * The counters of a subscriber; each is written under the subscriber's lock only.
 *
 * @param reads deliveries of all queues
 * @param storeReads deliveries of this queue
 * @param acks acknowledgements of all queues
 * @param redelivered further deliveries of all queues
 * @param dead messages of all queues that became dead letters
 * @param deadDropped dead letters of all queues that were dropped for their number or age
 * @param readTime time of a poll that delivered, sampled
 * @param polls times of all polls that delivered
 */
public record SubscriberCounters(
    AbstractCounter reads,
    AbstractCounter storeReads,
    AbstractCounter acks,
    AbstractCounter redelivered,
    AbstractCounter dead,
    AbstractCounter deadDropped,
    AbstractCounter readTime,
    Distribution polls) {}
