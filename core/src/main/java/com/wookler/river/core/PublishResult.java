package com.wookler.river.core;

import com.wookler.river.core.message.Durability;

/**
 * What became of a message that was published.
 *
 * @param sequence where it stands in the queue; of a duplicate, where the first one stands
 * @param duplicate whether a message with its id had been published before, within the queue's
 *     window, so that nothing was stored
 * @param durability how durable it is now: the level of the queue, or of the call if that is more
 */
public record PublishResult(long sequence, boolean duplicate, Durability durability) {}
