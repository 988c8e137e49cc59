package com.wookler.river.rest.server.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where and as what a server listens.
 *
 * @param host address
 * @param port 0: any that is free
 * @param threads that handle connections
 * @param allowedHosts names by which requests may call the server, besides its own
 * @param tls null: without TLS
 */
public record HttpSettings(
    String host, int port, int threads, Set<String> allowedHosts, @Nullable Tls tls) {}
