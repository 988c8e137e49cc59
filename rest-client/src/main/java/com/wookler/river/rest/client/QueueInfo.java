package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Describes a queue of a server.
 *
 * @param name its name
 * @param state {@code STARTING}, {@code RUNNING}, {@code FAILED}, {@code STOPPING} or {@code
 *     STOPPED}
 * @param settings the settings that it was created with; null if the server's configuration created
 *     it
 * @param stats its current statistics
 */
public record QueueInfo(
    String name, String state, @Nullable QueueSettings settings, QueueStats stats) {}
