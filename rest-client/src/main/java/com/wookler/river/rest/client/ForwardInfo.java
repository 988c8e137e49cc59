package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Where a queue forwards to, or gets messages from.
 *
 * @param target name of the queue, or of where else, as a topic
 * @param kind {@code QUEUE}, which can be changed and removed, or what runs in the server's process
 *     beside it, as {@code KAFKA} and {@code KAFKA_SOURCE}
 * @param configured whether the server's configuration names it, so that it cannot be changed
 * @param subscriber whose consumer it is, or null: it reads the log itself
 * @param settings which messages it gets, and as what; null if nothing is forwarded any more, and
 *     of other kinds
 * @param stats how far the forward is
 */
public record ForwardInfo(
    String target,
    String kind,
    boolean configured,
    @Nullable String subscriber,
    @Nullable ForwardSettings settings,
    ForwardStats stats) {}
