package com.wookler.river.rest.client;

/**
 * A subscriber of a queue.
 *
 * @param name its name
 * @param queue name of its queue
 * @param settings those that it works with; without {@code start}, which counts once
 * @param stats its figures at this moment
 */
public record SubscriberInfo(
    String name, String queue, SubscriberSettings settings, SubscriberStats stats) {}
