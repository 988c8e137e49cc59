package com.wookler.river.rest.client;

/**
 * Describes a queue of a server.
 *
 * @param name its name
 * @param state {@code STARTING}, {@code RUNNING}, {@code FAILED}, {@code STOPPING} or {@code
 *     STOPPED}
 * @param settings the settings that were given; the others are null and have their defaults
 * @param settingsFrom where they come from: {@code REQUEST}, the server's {@code FILE}, or the
 *     {@code APPLICATION} that it runs in; only those of requests can be changed by requests
 * @param stats its current statistics
 */
public record QueueInfo(
    String name, String state, QueueSettings settings, String settingsFrom, QueueStats stats) {}
