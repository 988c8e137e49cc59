package com.wookler.river.rest.client;

/**
 * What became of a message that was published.
 *
 * @param sequence where it stands in the queue; of a duplicate, where the first one stands
 * @param durability how durable it is now
 * @param duplicate whether a message with its id was there already, so that nothing was stored:
 *     also where a call was repeated because its first answer was lost
 */
public record Published(long sequence, Durability durability, boolean duplicate) {}
