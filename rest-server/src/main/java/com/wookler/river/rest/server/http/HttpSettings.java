package com.wookler.river.rest.server.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the HTTP service.
 *
 * @param host address to listen on
 * @param port port to listen on; 0: any free port
 * @param threads number of threads that handle connections
 * @param allowedHosts host names that requests may use, besides the server's own
 * @param tls certificate and key; null: without TLS
 */
public record HttpSettings(
    String host, int port, int threads, Set<String> allowedHosts, @Nullable Tls tls) {}
