package com.wookler.river.rest.client;

/**
 * What became of a batch: all of it is stored.
 *
 * @param first sequence of its first message; the others follow, but for those whose id was known
 * @param count how many messages it has
 */
public record PublishedBatch(long first, int count) {}
