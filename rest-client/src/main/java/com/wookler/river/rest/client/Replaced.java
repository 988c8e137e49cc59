package com.wookler.river.rest.client;

/**
 * The result of replacing a message.
 *
 * @param replaced what became of the message that was to be replaced; if it was {@link
 *     CancelResult#NOT_WAITING}, nothing was published
 * @param sequence of the message that was published in its place; -1 if none was
 */
public record Replaced(CancelResult replaced, long sequence) {}
