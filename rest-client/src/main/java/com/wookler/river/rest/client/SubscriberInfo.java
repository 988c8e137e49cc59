package com.wookler.river.rest.client;

/**
 * Describes a subscriber of a queue.
 *
 * @param name its name
 * @param queue name of its queue
 * @param settings its current settings, without {@code start}, which applies to new subscribers
 *     only
 * @param stats its current statistics
 */
public record SubscriberInfo(
    String name, String queue, SubscriberSettings settings, SubscriberStats stats) {}
