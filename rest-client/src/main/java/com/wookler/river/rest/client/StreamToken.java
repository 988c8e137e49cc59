package com.wookler.river.rest.client;

/**
 * Opens one stream of one subscriber, once.
 *
 * @param token the secret
 * @param leftMillis how long it can be used, in milliseconds
 */
public record StreamToken(String token, long leftMillis) {}
