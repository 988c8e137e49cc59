package com.wookler.river.rest.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Describes a request that waits for messages of a subscriber at a server.
 *
 * @param id the {@code River-Request-Id} of the request
 * @param kind {@code POLL} or {@code STREAM}
 * @param address of the client, or of a proxy before it, and its port
 * @param key the name of its key; empty where the server has none
 * @param owner the owner that it names; null without one
 * @param since when it began to wait
 */
public record ConsumerInfo(
    String id, String kind, String address, String key, @Nullable String owner, Instant since) {}
