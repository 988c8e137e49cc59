package com.wookler.river.rest.client;

/**
 * The result of publishing a message.
 *
 * @param sequence sequence of the message; for a duplicate, that of the first message with its id
 * @param durability the durability reached
 * @param duplicate whether a message with its id was stored already, so that nothing was stored;
 *     also if a call was retried because its first response was lost
 */
public record Published(long sequence, Durability durability, boolean duplicate) {}
