package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * A queue to which another one forwards.
 *
 * @param target its name
 * @param configured whether the server's configuration names it, so that it cannot be changed
 * @param settings which messages it gets, and as what; null if nothing is forwarded any more
 * @param stats how far the forward is
 */
public record ForwardInfo(
    String target, boolean configured, @Nullable ForwardSettings settings, ForwardStats stats) {}
