package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * A queue of a server.
 *
 * @param name its name
 * @param state {@code STARTING}, {@code RUNNING}, {@code FAILED}, {@code STOPPING} or {@code
 *     STOPPED}
 * @param settings those that it was made with; null if the server's own configuration has made it
 * @param stats its figures at this moment
 */
public record QueueInfo(
    String name, String state, @Nullable QueueSettings settings, QueueStats stats) {}
