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
 * @param healthPort port for health checks and metrics alone, with the server's certificate but
 *     without those of clients; null: none; 0: any free port
 */
public record HttpSettings(
    String host,
    int port,
    int threads,
    Set<String> allowedHosts,
    @Nullable Tls tls,
    @Nullable Integer healthPort) {
  /** Returns the TLS of the port for health checks, whose callers have no certificates. */
  @Nullable Tls healthTls() {
    return tls instanceof Tls.Mutual mutual ? mutual.own() : tls;
  }
}
